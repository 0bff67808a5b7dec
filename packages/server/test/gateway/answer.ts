/**
 * What the strict readers of this folder share. They know the vendors' protocols from recordings and references, and
 * share no code with what they judge.
 */

// biome-ignore lint/suspicious/noExplicitAny: JSON of any shape is judged here, member by member
export type Json = any;

/** One thing that an answer shows, in the words of no protocol. */
export type SeenPart =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'reasoning'; readonly text: string; readonly opaque: string }
  | { readonly kind: 'call'; readonly id: string; readonly name: string; readonly input: string }
  | { readonly kind: 'refusal'; readonly text: string }
  | { readonly kind: 'other'; readonly type: string; readonly value: Json };

/** Tokens as the protocol counts them, in the words of no protocol: all of the input, and how much of it was cached. */
interface SeenUsage {
  readonly input: number;
  readonly cached: number;
  readonly output: number;
  readonly reasoning: number;
}

/** An answer as its reader understood it, and every rule of the protocol that it breaks. */
export interface SeenAnswer {
  readonly problems: readonly string[];
  readonly id: string;
  readonly model: string;
  /** Of the first choice. */
  readonly parts: readonly SeenPart[];
  readonly choices: number;
  /** The protocol's own word. */
  readonly stop: string;
  readonly usage: SeenUsage | undefined;
  /** What a client sends back of it: a message, items, or a content. */
  readonly echo: Json;
}

/** Reads the answers of one protocol to a client. */
export interface StrictReader {
  whole(body: string): SeenAnswer;
  stream(body: string, options?: { readonly includeUsage?: boolean }): SeenAnswer;
  /** The rules that the body of an error breaks. */
  error(status: number, body: string): readonly string[];
}

/** What a member of an object must be; `text` may be null. */
export type Check =
  | 'string'
  | 'text'
  | 'count'
  | 'boolean'
  | 'object'
  | 'list'
  | 'present'
  | RegExp
  | readonly string[];

/** Gathers what is wrong. */
export class Findings {
  readonly problems: string[] = [];

  /** Adds the words unless the condition holds. */
  expect(condition: boolean, words: string): void {
    if (!condition) this.problems.push(words);
  }

  /** Checks members of an object; a name with `?` may be absent, but not wrong. */
  members(value: Json, path: string, checks: Readonly<Record<string, Check>>): void {
    if (!isObject(value)) {
      this.problems.push(`${path} is no object`);
      return;
    }
    for (const [key, check] of Object.entries(checks)) {
      const isOptional = key.endsWith('?');
      const name = isOptional ? key.slice(0, -1) : key;
      const member = value[name];
      if (member === undefined) this.expect(isOptional, `${path}.${name} is missing`);
      else this.expect(holds(member, check), `${path}.${name} is ${JSON.stringify(member)?.slice(0, 80)}`);
    }
  }
}

function holds(value: Json, check: Check): boolean {
  if (check === 'present') return true;
  if (check === 'string') return typeof value === 'string';
  if (check === 'text') return value === null || typeof value === 'string';
  if (check === 'count') return Number.isInteger(value) && value >= 0;
  if (check === 'boolean') return typeof value === 'boolean';
  if (check === 'object') return isObject(value);
  if (check === 'list') return Array.isArray(value);
  return typeof value === 'string' && (Array.isArray(check) ? check.includes(value) : (check as RegExp).test(value));
}

export const isObject = (value: unknown): value is Record<string, Json> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** An event of a stream: its name, and its data. */
export interface SseEvent {
  readonly event: string | undefined;
  readonly data: string;
}

/** The events of a body, by the rules of server-sent events. */
export function readEvents(body: string): SseEvent[] {
  return body.split(/\r?\n\r?\n/).flatMap((text) => {
    const fields = text.split(/\r?\n/).map((line) => /^(\w+): ?(.*)$/s.exec(line));
    const data = fields.flatMap((field) => (field?.[1] === 'data' ? [field[2]!] : []));
    const event = fields.find((field) => field?.[1] === 'event')?.[2];
    return data.length > 0 ? [{ event, data: data.join('\n') }] : [];
  });
}

/** The value of a JSON text; a problem where it is none. */
export function parse(text: string, findings: Findings, what: string): Json {
  try {
    return JSON.parse(text);
  } catch {
    findings.problems.push(`${what} is no JSON: ${text.slice(0, 80)}`);
    return undefined;
  }
}

/** Whether a text is the JSON of an object. */
export function isObjectText(text: string): boolean {
  try {
    return isObject(JSON.parse(text));
  } catch {
    return false;
  }
}

/** Joins neighbouring texts, which say the same in one piece, and thoughts whose signature comes with the last piece. */
export function joinTexts(parts: readonly SeenPart[]): SeenPart[] {
  const joined: SeenPart[] = [];
  for (const part of parts) {
    const last = joined.at(-1);
    if (part.kind === 'text' && part.text === '') continue;
    if (part.kind === 'text' && last?.kind === 'text')
      joined[joined.length - 1] = { kind: 'text', text: last.text + part.text };
    else if (part.kind === 'reasoning' && last?.kind === 'reasoning' && last.opaque === '')
      joined[joined.length - 1] = { ...part, text: last.text + part.text };
    else joined.push(part);
  }
  return joined;
}
