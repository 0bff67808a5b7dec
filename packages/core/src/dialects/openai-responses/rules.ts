import {
  addMember,
  elementTexts,
  find,
  findElements,
  isObject,
  type JsonObject,
  parseJson,
  splice,
} from '../../json/index.ts';
import type { Need, Origin } from '../../message/index.ts';
import { dropped, type LossNote } from '../loss.ts';
import { readQuirk } from '../provider.ts';
import { type ParamNames, type RequestParams, toTargetChoice, writeSimpleParams } from '../request.ts';
import type { BodyMember } from '../write/frame.ts';
import { areArguments } from '../write/translate.ts';
import type { Target } from '../write/writer.ts';
import { type Item, isAssistantMessage, isReasoning } from './items.ts';

/** The client's marker for explicit prompt caching, on a part of a message or of an output. */
export const CACHE_MARKER = 'prompt_cache_breakpoint';

export function findNeeds(raw: string, items: readonly Item[], origin: Origin): Need[] {
  const values = items.map((item) => item.value);
  const needs: (readonly [Need, boolean])[] = [
    ['empty', values.every(isEmptyMessage)],
    ['arguments', values.some(hasMalformedArguments)],
    ['cut', isReasoning(values.at(-1)) || (origin.cut === true && values.some(isIncomplete))],
    ['cache', raw.includes(`"${CACHE_MARKER}"`)],
    ['bound', values.some(isBound)],
  ];
  return needs.filter(([, is]) => is).map(([need]) => need);
}

/**
 * Whether only the item's own account can use it: ciphertext, or a reasoning item without any, which refers to what the
 * account has stored (`reasoning-not-persisted`).
 */
export function isBound(item: unknown): boolean {
  return isReasoning(item) || (isObject(item) && typeof item.encrypted_content === 'string');
}

/** Whether an item of a cut reply is incomplete. In complete replies, calls may stay `in_progress`, too. */
export function isIncomplete(item: unknown): boolean {
  return isObject(item) && (item.status === 'in_progress' || hasMalformedArguments(item));
}

export function hasMalformedArguments(item: unknown): item is JsonObject & { readonly arguments: string } {
  if (!isObject(item) || item.type !== 'function_call') return false;
  return typeof item.arguments === 'string' && !areArguments(item.arguments);
}

export function isEmptyMessage(item: unknown): boolean {
  if (!isAssistantMessage(item)) return false;
  const { content } = item;
  if (!Array.isArray(content)) return !content;
  return content.every((part) => isObject(part) && part.type === 'output_text' && part.text === '');
}

/** Adds a breakpoint to the last part that a client wrote in a message or in an output; undefined if there is none. */
export function mark(text: string): string | undefined {
  const [value, ...more] = parseJson(`[${text}]`) as readonly unknown[];
  if (!isObject(value) || more.length > 0) return undefined;
  const list = value.role === undefined ? 'output' : 'content';
  const parts = value[list];
  const last: unknown = Array.isArray(parts) ? parts.at(-1) : undefined;
  if (!isObject(last) || !/^input_/.test(String(last.type))) return undefined;
  const { start } = findElements(text, find(text, [list])!.start).at(-1)!;
  return splice(text, [addMember(text, start, CACHE_MARKER, '{"mode":"explicit"}')]);
}

/** The value of `store` as JSON text: whether the provider stores the response. */
export function storeText(target: Target): string {
  return target.store ?? String(readQuirk(target, 'store', false));
}

/** Whether reasoning must have ciphertext, because the provider does not store it (`reasoning-not-persisted`). */
export function needsCiphertext(target: Target): boolean {
  return storeText(target) === 'false' && readQuirk(target, 'encryptedReasoning', true) === true;
}

/** The value of `include` with a request for ciphertext. */
export function withCiphertext(include = ''): string {
  const given = include.startsWith('[') ? elementTexts(include) : [];
  return `[${[...new Set([...given, '"reasoning.encrypted_content"'])].join(',')}]`;
}

/** Parameters that are one plain member. The tool choice and reasoning are not: when a request is read, they stay in `rest`. */
export const PARAM_NAMES: ParamNames = {
  maxTokens: 'max_output_tokens',
  temperature: 'temperature',
  topP: 'top_p',
  stream: 'stream',
  parallelToolCalls: 'parallel_tool_calls',
};

export function writeParams(
  params: RequestParams,
  hasTools: boolean,
  target: Target,
  losses: LossNote[],
): BodyMember[] {
  const { reasoning, modalities } = params;
  const members = writeSimpleParams(params, PARAM_NAMES, losses);
  if (reasoning?.budget !== undefined) losses.push(dropped('params.reasoning.budget', 'parameter'));
  const choice = toTargetChoice(params, target, losses, hasTools);
  if (modalities?.includes('audio')) losses.push(dropped('params.modalities', 'parameter', 'audio'));
  const named = typeof choice === 'object' ? { type: 'function', ...choice } : choice;
  return [
    ...members,
    ['tool_choice', JSON.stringify(named)],
    ['reasoning', reasoning?.effort === undefined ? undefined : JSON.stringify({ effort: reasoning.effort })],
  ];
}
