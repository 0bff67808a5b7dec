import {
  type ContentBlock,
  canonical,
  isJson,
  type MediaBlock,
  type Message,
  type ToolResultBlock,
  type ToolUseBlock,
} from '@skein/core';
import { appendEscaped } from './escape-json.ts';
import { quoted, sha256, sha256OfPieces } from './ids.ts';

export const ECHO_VERSION = 1;

/** From this length on, copying a text costs more than hashing it in pieces. */
const LONG = 2 ** 13;

/** The state of the echo chain after a message: its text, and the calls that results may refer to by their order. */
export interface Echo {
  readonly text: string;
  readonly calls: readonly string[];
  readonly answered: number;
  /** Whether there were only system messages so far; the chain leaves those out. */
  readonly leading: boolean;
}

/** The echo of the empty history, which `extendEcho` starts from. */
export const ECHO_START: Echo = {
  text: `${ECHO_VERSION}:${hash('skein-echo/1')}`,
  calls: [],
  answered: 0,
  leading: true,
};

/**
 * Extends the echo by a message (echo rule 1, docs/forest-rules.md). The echo recognises a history that a client sends back
 * without its exact texts. Every visible unit of the history is one step of a hash chain, so units have the same echo
 * whether a client joins them into one message or not. Reasoning, cache markers, leading system messages and the spelling
 * of JSON do not change it.
 *
 * @example
 * const echo = messages.reduce(extendEcho, ECHO_START);
 */
export function extendEcho(echo: Echo, message: Pick<Message, 'role' | 'content'>): Echo {
  const { role, content } = message;
  if (echo.leading && role === 'system') return echo;
  let { text, calls, answered } = echo;
  // Results follow their calls; any other message ends the order of the calls.
  if (!content.some(isResult) || content.some(isUse)) {
    calls = content.filter(isUse).map(({ id }) => id);
    answered = 0;
  }
  const lenient = role === 'assistant';
  let said = '';
  const speak = () => {
    const spoken = lenient ? said.trim() : said;
    if (spoken !== '') text = stepOfText(text, role, spoken);
    said = '';
  };
  for (const block of content) {
    if (block.type === 'text' || block.type === 'refusal') {
      said += block.text;
      continue;
    }
    if (block.type === 'reasoning' || (block.type === 'unknown' && lenient)) continue;
    speak();
    if (isResult(block)) {
      const place = calls.indexOf(block.toolCallId);
      text = step(text, JSON.stringify(['result', place < 0 ? answered : place, ...contentUnits(block.content)]));
      answered += 1;
    } else text = step(text, toUnit(block));
  }
  speak();
  return { text, calls, answered, leading: false };
}

function step(before: string, unit: string): string {
  return `${ECHO_VERSION}:${hash(`${before}\n${unit}`)}`;
}

/** The step of a text; a long one is quoted once for all chains that it extends, and not copied behind the one before. */
function stepOfText(before: string, role: Message['role'], text: string): string {
  if (text.length < LONG) return step(before, `["${role}",${quoted(text)}]`);
  if (lastQuoted.text !== text) lastQuoted = { text, bytes: quotedBytes(text) };
  const digest = sha256OfPieces([`${before}\n["${role}",`, lastQuoted.bytes, ']']);
  return `${ECHO_VERSION}:${digest.slice(0, 32)}`;
}

/** A reply extends two chains, one right after the other: that of its history and that of its turn. */
let lastQuoted: { readonly text: string; readonly bytes: string | Uint8Array } = { text: '', bytes: '""' };

/** The UTF-8 of `JSON.stringify(text)`. */
function quotedBytes(text: string): string | Uint8Array {
  let buffer = scratch;
  const sink = {
    size: buffer.write('"'),
    makeRoom(bytes: number): Buffer {
      if (sink.size + bytes <= buffer.length) return buffer;
      const wider = Buffer.allocUnsafeSlow(Math.max(buffer.length * 2, sink.size + bytes));
      buffer.copy(wider, 0, 0, sink.size);
      buffer = wider;
      return buffer;
    },
  };
  const isEscaped = appendEscaped(text, sink);
  sink.makeRoom(1);
  if (buffer.length <= MOST_KEPT) scratch = buffer;
  if (!isEscaped) return quoted(text);
  buffer[sink.size++] = 0x22;
  return buffer.subarray(0, sink.size);
}

/** One buffer for all texts up to this size: a new one for each long text keeps the garbage collector busy. */
const MOST_KEPT = 2 ** 20;
let scratch = Buffer.allocUnsafeSlow(2 ** 14);

function hash(text: string): string {
  return sha256(text).slice(0, 32);
}

function toUnit(block: Exclude<ContentBlock, { type: 'text' | 'refusal' | 'reasoning' | 'tool-result' }>): string {
  switch (block.type) {
    case 'tool-use':
      return JSON.stringify(['call', block.name, byValue(block.rawParameters)]);
    case 'media':
      return mediaUnit(block);
    case 'unknown':
      return JSON.stringify(['unknown', byValue(block.native)]);
    default:
      return JSON.stringify(['unknown', byValue(JSON.stringify(block satisfies never))]);
  }
}

function isUse(block: ContentBlock): block is ToolUseBlock {
  return block.type === 'tool-use';
}

function isResult(block: ContentBlock): block is ToolResultBlock {
  return block.type === 'tool-result';
}

function contentUnits(content: readonly ContentBlock[]): string[] {
  const text = content.map((block) => (block.type === 'text' ? block.text : '')).join('');
  return [text, ...content.filter((block) => block.type === 'media').map(mediaUnit)];
}

function mediaUnit({ source }: MediaBlock): string {
  const value = source.kind === 'base64' ? source.data : source.kind === 'url' ? source.url : source.id;
  return JSON.stringify(['media', sha256(`${source.kind}:${value}`)]);
}

function byValue(text: string): string {
  if (text.trim() === '') return '{}';
  return isJson(text) ? canonical(text) : text;
}
