import { type ContentBlock, canonical, isJson, type MediaBlock, type Message, type ToolResultBlock } from '@skein/core';
import { sha256 } from './hash.ts';

export const ECHO_VERSION = 1;

/** How far the echo chain has come: its text so far, and the calls that results may refer to by their order. */
export interface Echo {
  readonly text: string;
  readonly calls: readonly string[];
  readonly answered: number;
  /** Only system messages so far: they are left out. */
  readonly leading: boolean;
}

export const ECHO_START: Echo = {
  text: `${ECHO_VERSION}:${hash('skein-echo/1')}`,
  calls: [],
  answered: 0,
  leading: true,
};

/**
 * Echo rule 1 (docs/forest-rules.md): recognises what a client that keeps no exact texts sends back. Every visible
 * unit of the history is one step of a hash chain, so that units that were gathered into one message, or kept apart,
 * come to the same end. Reasoning, cache markers, leading system messages and how a text is spelt leave no trace.
 */
export function extendEcho(echo: Echo, message: Message): Echo {
  if (echo.leading && message.role === 'system') return echo;
  let { text, calls, answered } = echo;
  const { toolUses, toolResults } = message;
  // Results follow their calls: behind anything else the order of the calls is over.
  if (toolUses.length > 0 || toolResults.length === 0) {
    calls = toolUses.map(({ id }) => id);
    answered = 0;
  }
  for (const unit of unitsOf(message)) {
    if (typeof unit === 'string') {
      text = step(text, unit);
      continue;
    }
    const place = calls.indexOf(unit.toolCallId);
    text = step(text, JSON.stringify(['result', place < 0 ? answered : place, ...contentUnits(unit.content)]));
    answered += 1;
  }
  return { text, calls, answered, leading: false };
}

function step(before: string, unit: string): string {
  return `${ECHO_VERSION}:${hash(`${before}\n${unit}`)}`;
}

function hash(text: string): string {
  return sha256(text).slice(0, 32);
}

/** The visible units of a message in order; results are left for the caller, who knows the order of the calls. */
function* unitsOf(message: Message): Generator<string | ToolResultBlock> {
  const lenient = message.role === 'assistant';
  let said = '';
  const spoken = () => {
    const text = lenient ? said.trim() : said;
    said = '';
    return text === '' ? [] : [JSON.stringify([message.role, text])];
  };
  for (const block of message.content) {
    if (block.type === 'text' || block.type === 'refusal') {
      said += block.text;
      continue;
    }
    if (block.type === 'reasoning' || (block.type === 'unknown' && lenient)) continue;
    yield* spoken();
    if (block.type === 'tool-use') yield JSON.stringify(['call', block.name, byValue(block.rawParameters)]);
    else if (block.type === 'tool-result') yield block;
    else if (block.type === 'media') yield mediaUnit(block);
    else yield JSON.stringify(['unknown', byValue(block.native)]);
  }
  yield* spoken();
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
