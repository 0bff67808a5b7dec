import type { Message } from '@skein/core';
import { ECHO_START, type Echo, extendEcho } from '../../model/echo.ts';
import { sha256 } from '../../model/ids.ts';

/**
 * Evidence that a client sends back a recorded reply: ids and signatures that the provider issued, the words of a turn,
 * and long quotes in a summary.
 */

const ISSUED: ReadonlySet<string> = new Set([
  'id',
  'call_id',
  'signature',
  'encrypted_content',
  'thoughtSignature',
  'thought_signature',
]);
/** Members that a model or a tool wrote; ids in them prove nothing. */
const FOREIGN: ReadonlySet<string> = new Set([
  'input',
  'args',
  'arguments',
  'parameters',
  'output',
  'response',
  'result',
]);

/** Ids, signatures and encrypted parts of a reply. Short ones such as `call_0` are issued again and again. */
export function readIssuedIds({ raw }: Message): readonly string[] {
  if (!/"(?:id|call_id|signature|encrypted_content|data|thought_?[sS]ignature)"/.test(raw)) return [];
  const found = new Set<string>();
  collect(JSON.parse(raw), found);
  return [...found];
}

function collect(value: unknown, found: Set<string>): void {
  if (typeof value !== 'object' || value === null) return;
  // A list has none of these members, and is looked through in the same way.
  const { type, name: tool } = value as { type?: unknown; name?: unknown };
  for (const [name, member] of Object.entries(value)) {
    const isIssued =
      ISSUED.has(name) || (name === 'data' && typeof type === 'string' && /redacted|encrypted/.test(type));
    if (typeof member !== 'string') {
      if (!FOREIGN.has(name)) collect(member, found);
    } else if (isIssued && isUnlikelyTwice(member)) found.add(shortened(withoutTool(member, tool)));
  }
}

/** Gemini CLI puts the name of the tool before the id of a call, once its history was stored. */
function withoutTool(id: string, tool: unknown): string {
  return typeof tool === 'string' && id.startsWith(`${tool}__`) ? id.slice(tool.length + 2) : id;
}

/**
 * Whether an id is random enough to be unique: a run of eight letters and digits with a digit among them, or a long
 * text.
 */
function isUnlikelyTwice(id: string): boolean {
  return id.length >= 40 || /(?=[A-Za-z0-9]*\d)[A-Za-z0-9]{8,}|[A-Za-z0-9]{16,}/.test(id);
}

function shortened(id: string): string {
  return id.length <= 64 ? id : sha256(id).slice(0, 32);
}

/** The key of a turn: a hash of the question and the reply, independent of the history before them. */
export function turnKey(asked: readonly Message[], reply: Message): string {
  let echo = ECHO_START;
  for (const message of asked) echo = extendSent(echo, message);
  return extendSent(echo, reply).text;
}

/**
 * Extends the echo by a message that a client sent. Gemini CLI sends the results of a resumed history several times: a
 * result that repeats one before it in the same message does not count.
 */
export function extendSent(echo: Echo, message: Message): Echo {
  const { results } = message.facts;
  if (new Set(results).size === results.length) return extendEcho(echo, message);
  const seen = new Set<string>();
  const content = message.content.filter((block) => {
    const text = JSON.stringify(block);
    const isRepeated = block.type === 'tool-result' && seen.has(text);
    seen.add(text);
    return !isRepeated;
  });
  return extendEcho(echo, { role: message.role, content });
}

/** The messages between the previous reply and the reply at an index. */
export function questionBefore(messages: readonly Message[], index: number): readonly Message[] {
  let from = index;
  while (from > 0 && messages[from - 1]!.role !== 'assistant') from -= 1;
  return messages.slice(from, index).filter(({ role }) => role !== 'system');
}

const MONTH =
  '(?:january|february|march|april|may|june|july|august|september|october|november|december|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)';
const DAY_OF_MONTH = '\\d{1,2}(?:st|nd|rd|th)?';

/** Dates and times, as people and programs write them. */
const DATES: readonly RegExp[] = [
  /\b\d{4}-\d{1,2}-\d{1,2}(?:[t ]\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:z|[+-]\d{2}:?\d{2})?)?\b/gi,
  /\b\d{1,4}([./])\d{1,2}\1\d{1,4}\b/g,
  new RegExp(
    `\\b(?:${DAY_OF_MONTH}\\s+(?:of\\s+)?)?${MONTH}\\b\\.?(?:\\s+${DAY_OF_MONTH}\\b)?(?:,?\\s+\\d{4}\\b)?`,
    'gi',
  ),
  /\b(?:mon|tues|wednes|thurs|fri|satur|sun)day\b|\b(?:mon|tue|wed|thu|fri|sat|sun)\b/gi,
  /\b\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:\s*[ap]\.?m\b\.?)?|\b\d{1,2}\s*[ap]m\b/gi,
  /#(?:[\s.,:/+-]*(?:#|\b(?:utc|gmt|at|t|z)\b))*/gi,
];

/** Numbers, UUIDs and digests. */
const NUMBERS: readonly RegExp[] = [
  /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi,
  /\b(?=[0-9a-f]*\d)[0-9a-f]{4,}\b/gi,
  /\d/g,
  /#(?:[\s.,:/+-]*(?:#|\b(?:am|pm|utc|gmt|st|nd|rd|th|t|z)\b))*/gi,
];

/** Hashes of a system text without its changing parts. */
export interface SystemKeys {
  /** Without dates and times, which change although the text stays the same. */
  readonly dated: string;
  /** Also without numbers and UUIDs, which may be a counter or the number of a customer. */
  readonly numbered: string;
}

export function systemKeys(texts: readonly string[]): SystemKeys {
  const mask = (text: string, patterns: readonly RegExp[]) =>
    patterns.reduce((masked, pattern) => masked.replace(pattern, '#'), text);
  const dated = mask(texts.join('\n'), DATES);
  return { dated: textKey(dated), numbered: textKey(mask(dated, NUMBERS)) };
}

function textKey(text: string): string {
  return sha256(text.replace(/\s+/g, ' ').trim()).slice(0, 16);
}

/** Quotes are found by blocks of this many characters: every quote of 200 characters contains four blocks in a row. */
const BLOCK = 40;
const BLOCKS_IN_A_ROW = 4;

/** The hashes of the blocks of a reply; undefined if it is too short to be distinctive. */
export function toPassages(text: string): readonly number[] | undefined {
  const least = BLOCK * (BLOCKS_IN_A_ROW + 1);
  const plain = withoutSpace(text);
  if (plain.length < least) return undefined;
  return Array.from({ length: Math.floor(plain.length / BLOCK) }, (_, index) =>
    hashText(plain.slice(index * BLOCK, (index + 1) * BLOCK)),
  );
}

/** Returns a function that tells whether the text quotes at least 200 characters of a reply. */
export function createQuoteFinder(text: string): (passages: readonly number[]) => boolean {
  const windows = windowHashes(withoutSpace(text));
  return (passages) => {
    let row = 0;
    for (const passage of passages) {
      row = windows.has(passage) ? row + 1 : 0;
      if (row === BLOCKS_IN_A_ROW) return true;
    }
    return false;
  };
}

function withoutSpace(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

const BASE = 257;
const HIGHEST = Array.from({ length: BLOCK - 1 }).reduce<number>((power) => Math.imul(power, BASE), 1);

function hashText(text: string): number {
  let hash = 0;
  for (let at = 0; at < text.length; at++) hash = (Math.imul(hash, BASE) + text.charCodeAt(at)) | 0;
  return hash;
}

function windowHashes(text: string): ReadonlySet<number> {
  const hashes = new Set<number>();
  let hash = hashText(text.slice(0, BLOCK));
  hashes.add(hash);
  for (let at = BLOCK; at < text.length; at++) {
    hash = (Math.imul(hash - Math.imul(text.charCodeAt(at - BLOCK), HIGHEST), BASE) + text.charCodeAt(at)) | 0;
    hashes.add(hash);
  }
  return hashes;
}
