/**
 * A model for running without keys. It understands nothing: it picks words out of the request and fills in templates,
 * and says so. The same request gives the same answer; sent again, it gives the next variant.
 */

import { createHash } from 'node:crypto';
import type { Brain, BrainRequest, OfferedTool, ToolResult } from './brain.ts';
import { isObject, type Json, objects, stringify } from './json.ts';
import type { MessageReply, ReplyBlock } from './reply.ts';

/** Two tokens every 40 ms are 50 tokens a second. */
const speed = { pieces: 8, chunkDelay: 40, delay: 300 };

const shorten = (text: string, length = 60): string => {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length > length ? `${line.slice(0, length).trimEnd()}…` : line;
};

function thoughts({ text, results, tools }: BrainRequest, tool: OfferedTool | undefined): string {
  const asked = text.trim() === '' ? 'There is no text to answer.' : `The user says: “${shorten(text)}”.`;
  if (tool) return `${asked}\nThe tool \`${tool.name}\` fits, so I call it before I answer.`;
  if (results.length > 0) return `${asked}\nThe tools have answered; I quote what they said.`;
  return `${asked}\n${tools.length > 0 ? 'None of the tools fits.' : 'There are no tools.'} I answer from a template.`;
}

/** The demo model; `startEmulator({ brain: 'demo' })` uses it. */
export const demoBrain: Brain = (request): MessageReply => {
  const { body, attempt, text, results, format } = request;
  const chance = createChance(stringify(body), attempt);
  const tool = results.length === 0 ? chooseTool(request) : undefined;
  const thinking: readonly ReplyBlock[] = request.thinking ? [{ type: 'thinking', text: thoughts(request, tool) }] : [];
  const reply = (...blocks: readonly ReplyBlock[]): MessageReply => ({ ...speed, blocks: [...thinking, ...blocks] });
  if (tool) return reply({ type: 'tool-use', name: tool.name, input: inventArguments(tool.schema, text, chance) });
  // An answer by a schema consists of the value alone.
  if (format) return reply({ type: 'text', text: stringify(inventValue(format, text, chance)) });
  return reply({ type: 'text', text: demoAnswer({ topic: shorten(text), results, chance }) });
};

const COMMON = new Set(
  'about after again also and any are can could does for from get give given have how into just like make more name not of one please show some tell than that the their them then there these this time tool tools use used user using want what when where which will with would you your'.split(
    ' ',
  ),
);

/** The uncommon words in lower case, cut to their stem: `weather_lookup` then matches "look up the weather". */
function stems(text: string): ReadonlySet<string> {
  const spaced = text.replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ').toLowerCase();
  const words = spaced.match(/[\p{L}\p{N}]{3,}/gu) ?? [];
  return new Set(words.filter((word) => !COMMON.has(word)).map((word) => word.slice(0, 5)));
}

const shared = (one: ReadonlySet<string>, other: ReadonlySet<string>): number =>
  [...one].filter((word) => other.has(word)).length;

const score = (tool: OfferedTool, said: ReadonlySet<string>): number =>
  2 * shared(stems(tool.name), said) + shared(stems(tool.description), said);

/** The forced tool, or the one that matches the user's words best. A description must share two words with them. */
function chooseTool({ tools, forced, text }: BrainRequest): OfferedTool | undefined {
  if (typeof forced === 'string') return tools.find(({ name }) => name === forced);
  const said = stems(text);
  const [best] = tools
    .map((tool) => ({ tool, score: score(tool, said) }))
    .sort((one, other) => other.score - one.score);
  if (best === undefined) return undefined;
  const asked = forced === true || /\b(use|call|try|run)\b.*\btools?\b/i.test(text);
  return asked || best.score >= 2 ? best.tool : undefined;
}

interface Content {
  readonly topic: string;
  readonly results: readonly ToolResult[];
  readonly chance: Chance;
}

type Some<T> = readonly [T, ...T[]];

const headings: Some<string> = [
  'A demo answer',
  'Here is a demo reply',
  'From the demo model',
  'A reply without a model',
];

const openings: Some<string> = [
  "I am Skein's demo model, and no real one: I fill in templates and understand nothing.",
  "This comes from Skein's demo model. No real model has read your message.",
  "You are talking to Skein's demo model, a small program that runs without a key.",
];

const points: Some<readonly string[]> = [
  [
    'Replies stream at the pace of a real model.',
    'Regenerate, and you get another variant.',
    'Nothing leaves your machine.',
  ],
  [
    'Fork this conversation to see two branches grow.',
    'Edit your message, and send it again.',
    'Offer a tool, and I may call it.',
  ],
  [
    'Every byte of this reply is kept as it was sent.',
    'Token counts are estimates from lengths.',
    'Add a key to talk to a real model.',
  ],
];

const samples: Some<readonly [language: string, code: string]> = [
  ['ts', "const greet = (name: string) => ['Hello,', name].join(' ');\n\nconsole.log(greet('Skein'));"],
  [
    'python',
    'def fibonacci(n: int) -> int:\n    a, b = 0, 1\n    for _ in range(n):\n        a, b = b, a + b\n    return a',
  ],
  ['sql', 'SELECT branch, count(*) AS messages\nFROM nodes\nGROUP BY branch\nORDER BY messages DESC;'],
  ['sh', 'for file in *.md; do\n  wc -w "$file"\ndone'],
];

/** A code block whose fence is longer than any fence in the text. */
function fenced(text: string, language = ''): string {
  const longest = Math.max(2, ...[...text.matchAll(/`{3,}/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${text}\n${fence}`;
}

function quoted({ name, text }: ToolResult): string {
  const short = text.length > 2000 ? `${text.slice(0, 2000)}…` : text;
  return `${name === undefined ? 'A tool' : `\`${name}\``} answered:\n\n${fenced(short)}`;
}

function demoAnswer({ topic, results, chance }: Content): string {
  const [language, code] = chance.pick(samples, 'sample');
  const list = chance.pick(points, 'points').map((point) => `- ${point}`);
  return [
    `## ${chance.pick(headings, 'heading')}`,
    chance.pick(openings, 'opening'),
    ...results.map(quoted),
    ...(topic === '' ? [] : [`> ${topic}`]),
    list.join('\n'),
    'A bit of code, to show how it looks:',
    fenced(code, language),
  ].join('\n\n');
}

/** What invented values are made from. */
interface ValueSource {
  readonly text: string;
  readonly chance: Chance;
  /** The whole schema, for references into it. */
  readonly root: Json;
}

const DEPTH = 6;

const words = (text: string): readonly string[] => text.match(/[\p{L}\p{N}][\p{L}\p{N}'-]*/gu) ?? [];

/** A capitalised word within a sentence. */
function properNoun(text: string): string | undefined {
  return /(?<=[\p{Ll}\p{N},;:] )\p{Lu}[\p{L}-]+(?: \p{Lu}[\p{L}-]+)*/u.exec(text)?.[0];
}

const FORMATS: Readonly<Record<string, string>> = {
  date: '2026-11-02',
  'date-time': '2026-11-02T12:00:00Z',
  time: '12:00:00',
  email: 'someone@example.com',
  uri: 'https://example.com/',
  url: 'https://example.com/',
  uuid: '00000000-0000-4000-8000-000000000000',
};

function string({ format, minLength, maxLength }: Json, name: string, { text }: ValueSource): string {
  const fixed = typeof format === 'string' ? FORMATS[format] : undefined;
  if (fixed !== undefined) return fixed;
  const found = guess(name, text);
  const long = typeof maxLength === 'number' ? found.slice(0, maxLength) : found;
  return typeof minLength === 'number' ? long.padEnd(minLength, '.') : long;
}

function guess(name: string, text: string): string {
  if (/express|formula|calc|equation/i.test(name)) {
    const sum = /[\d(][\d\s.+\-*/^()]*[\d)]/.exec(text)?.[0].trim();
    if (sum !== undefined) return sum;
  }
  if (/url|link|uri/i.test(name)) return /https?:\/\/\S+/.exec(text)?.[0] ?? 'https://example.com/';
  if (/path|file/i.test(name)) return /[\w./-]+\.\w+/.exec(text)?.[0] ?? 'README.md';
  const quoted = /["“'`]([^"”'`]+)["”'`]/.exec(text)?.[1];
  if (/query|text|prompt|question|message|content|input/i.test(name)) return quoted ?? (text.trim() || 'demo');
  const longest = [...words(text)].sort((one, other) => other.length - one.length)[0];
  return quoted ?? properNoun(text) ?? longest ?? 'demo';
}

function number({ minimum, maximum, type }: Json, name: string, { text, chance }: ValueSource): number {
  const from = typeof minimum === 'number' ? minimum : 1;
  const to = typeof maximum === 'number' ? maximum : Math.max(from + 9, 10);
  const said = /-?\d+(?:\.\d+)?/.exec(text)?.[0];
  const value = said === undefined ? Number.NaN : Number(said);
  const whole = `${type}`.toLowerCase() === 'integer';
  if (value >= from && value <= (typeof maximum === 'number' ? maximum : value))
    return whole ? Math.trunc(value) : value;
  return chance.integer(Math.ceil(from), Math.floor(to), name);
}

function oneOf(list: readonly unknown[], name: string, { text, chance }: ValueSource): unknown {
  const said = list.find((value) => typeof value === 'string' && text.toLowerCase().includes(value.toLowerCase()));
  return said ?? (list.length === 0 ? null : chance.pick(list as [unknown, ...unknown[]], name));
}

/** The required properties; all of them when none is required. */
function object({ properties, required }: Json, given: ValueSource, depth: number): Json {
  const fields = isObject(properties) ? Object.entries(properties) : [];
  const wanted = Array.isArray(required) && required.length > 0 ? new Set<unknown>(required) : undefined;
  return Object.fromEntries(
    fields
      .filter(([name]) => wanted?.has(name) ?? true)
      .map(([name, schema]) => [name, inventValueAt(isObject(schema) ? schema : {}, name, given, depth + 1)]),
  );
}

function referenced({ $ref }: Json, root: Json): Json | undefined {
  if (typeof $ref !== 'string' || !$ref.startsWith('#')) return undefined;
  const names = $ref.split('/').slice(1);
  const found = names.reduce<unknown>((at, name) => (isObject(at) ? at[name] : undefined), root);
  return isObject(found) ? found : undefined;
}

function inventValueAt(schema: Json, name: string, given: ValueSource, depth: number): unknown {
  if (depth > DEPTH) return null;
  if ('const' in schema) return schema.const;
  if (Array.isArray(schema.enum)) return oneOf(schema.enum, name, given);
  if (Array.isArray(schema.examples) && schema.examples.length > 0) return oneOf(schema.examples, name, given);
  if (schema.default !== undefined) return schema.default;
  const [choice] = objects(schema.anyOf ?? schema.oneOf ?? schema.allOf);
  const other = referenced(schema, given.root) ?? choice;
  if (other) return inventValueAt(other, name, given, depth + 1);
  const [type] = [schema.type].flat().map((one) => `${one}`.toLowerCase());
  if (type === 'object' || isObject(schema.properties)) return object(schema, given, depth);
  if (type === 'array') return [inventValueAt(isObject(schema.items) ? schema.items : {}, name, given, depth + 1)];
  if (type === 'integer' || type === 'number') return number(schema, name, given);
  if (type === 'boolean') return given.chance.pick([true, false], name);
  return type === 'null' ? null : string(schema, name, given);
}

/** A plausible value for a JSON Schema, taken from the user's words where they fit. */
const inventValue = (schema: Json, text: string, chance: Chance): unknown =>
  inventValueAt(schema, '', { text, chance, root: schema }, 0);

/** Arguments are always an object, whatever the schema says. */
function inventArguments(schema: Json, text: string, chance: Chance): Json {
  const value = inventValue({ type: 'object', ...schema }, text, chance);
  return isObject(value) ? value : {};
}

/** Choices that look random and are deterministic. */
interface Chance {
  /** Picks one of the list. Different purposes pick independently; the next attempt picks the next one. */
  pick<T>(list: readonly [T, ...T[]], purpose: string): T;
  integer(from: number, to: number, purpose: string): number;
}

function createChance(seed: string, attempt: number): Chance {
  const number = (purpose: string): number =>
    createHash('sha256')
      .update(JSON.stringify([seed, purpose]))
      .digest()
      .readUInt32BE(0);
  return {
    pick: (list, purpose) => list[(number(purpose) + attempt) % list.length] ?? list[0],
    integer: (from, to, purpose) => from + ((number(purpose) + attempt) % (to - from + 1)),
  };
}
