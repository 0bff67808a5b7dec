import type { RequestParams, RequestParts } from '../../src/index.ts';
import type { Protocol } from './recordings.ts';
import { isRecord, memberTexts, numberText, parseSource, type Source } from './source-json.ts';

/** Where a protocol keeps messages, system text and tools. */
export const PLACES: Readonly<Record<Protocol, { messages: string; system: readonly string[] }>> = {
  'openai-chat': { messages: 'messages', system: [] },
  'openai-responses': { messages: 'input', system: ['instructions'] },
  'anthropic-messages': { messages: 'messages', system: ['system'] },
  'google-interactions': { messages: 'input', system: ['system_instruction'] },
  'google-generatecontent': { messages: 'contents', system: ['systemInstruction', 'system_instruction'] },
};

/** Parameters by the names that the protocols have for them. */
const PARAMS: Readonly<Record<string, keyof RequestParams>> = {
  max_tokens: 'maxTokens',
  max_completion_tokens: 'maxTokens',
  max_output_tokens: 'maxTokens',
  maxOutputTokens: 'maxTokens',
  temperature: 'temperature',
  top_p: 'topP',
  topP: 'topP',
  stop: 'stop',
  stop_sequences: 'stop',
  stopSequences: 'stop',
  seed: 'seed',
  stream: 'stream',
  tool_choice: 'toolChoice',
  parallel_tool_calls: 'parallelToolCalls',
};

/** Members that are read in part: their leaves are in `params` or still in `rest`. */
const NESTED = /^(reasoning|reasoning_effort|thinking|output_config|generation_?config|tool_?config|tool_choice)$/i;

/** The top-level members of a request that are in no place of what was read, or in two. */
export function misplaced(protocol: Protocol, body: string, parts: RequestParts): string[] {
  const members = memberTexts(body);
  const problems = members.flatMap(([name, text]) => {
    const inRest = Object.hasOwn(parts.rest, name);
    if (inRest && parts.rest[name] === text)
      return placesOf(protocol, name, text, parts) > 0 && !isLeft(name, text, parts) ? [`${name} twice`] : [];
    if (placesOf(protocol, name, text, parts) === 1) return inRest ? [`${name} twice`] : [];
    return NESTED.test(name) && leavesHeld(text, parts, parts.rest[name]) ? [] : [`${name} is nowhere`];
  });
  const names = new Set(members.map(([name]) => name));
  return [
    ...problems,
    ...Object.keys(parts.rest)
      .filter((name) => !names.has(name))
      .map((name) => `${name} is new`),
  ];
}

/** A member that says what no place can hold stays in `rest`, and its place stays empty or belongs to another member. */
function isLeft(name: string, text: string, { params }: RequestParts): boolean {
  const param = PARAMS[name];
  return param === undefined || !isSaid(parseSource(text), params[param]) || name === 'max_tokens';
}

function placesOf(protocol: Protocol, name: string, text: string, parts: RequestParts): number {
  const { messages, system } = PLACES[protocol];
  const value = parseSource(text);
  if (name === 'model') return Number(parts.model === value);
  if (name === messages) return 1;
  // Google takes one tool in place of a list of one.
  if (name === 'tools') return Number(Array.isArray(value) || parts.tools.length > 0);
  if (system.includes(name)) return Number(parts.system?.raw === `{"role":"system","content":${text}}`);
  const param = PARAMS[name];
  return param === undefined ? 0 : Number(isSaid(value, parts.params[param]));
}

function isSaid(value: Source, param: unknown): boolean {
  const number = numberText(value);
  if (number !== undefined) return param === Number(number);
  if (Array.isArray(value)) return JSON.stringify(param) === JSON.stringify(value);
  return param === value || (Array.isArray(param) && param.length === 1 && param[0] === value);
}

/** Whether every word and number of a member is in the parameters, or in what is left of it. */
function leavesHeld(text: string, { params }: RequestParts, left: string | undefined): boolean {
  const held = JSON.stringify(params).toLowerCase();
  const scalars = (value: Source): string[] => {
    const number = numberText(value);
    if (number !== undefined) return [String(Number(number))];
    if (Array.isArray(value)) return value.flatMap(scalars);
    if (isRecord(value)) return Object.values(value).flatMap(scalars);
    return [String(value).toLowerCase()];
  };
  return scalars(parseSource(text)).every(
    (word) => held.includes(word) || left?.toLowerCase().includes(word) === true || CHOICES.has(word),
  );
}

/** Words that a parameter says in its own way. */
const CHOICES = new Set(['any', 'tool', 'function', 'enabled', 'adaptive', 'true', 'false', 'mode', 'auto']);
