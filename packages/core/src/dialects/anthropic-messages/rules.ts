import { find, findElements, isObject, isText, type JsonObject, parseJson, splice } from '../../json/index.ts';
import { dropped, type LossNote, rewritten } from '../loss.ts';
import { type ModelTarget, type ProviderDescriptor, readQuirk } from '../provider.ts';
import { type ParamNames, type RequestParams, toTargetChoice, writeSimpleParams } from '../request.ts';
import type { BodyMember } from '../write/frame.ts';
import type { Draft, Target } from '../write/writer.ts';

// What the API refuses in its own messages: the view reports it as needs, and writing a request repairs it.

export function isThinking(block: unknown): block is JsonObject {
  return isObject(block) && (block.type === 'thinking' || block.type === 'redacted_thinking');
}

export function isToolResult(block: unknown): block is JsonObject {
  return isObject(block) && block.type === 'tool_result';
}

/** Whether a block is a call of a client's or of a server-side tool. */
function isCall(block: unknown): block is JsonObject {
  return isObject(block) && typeof block.type === 'string' && /(?:^|_)tool_use$/.test(block.type);
}

/** `empty-text` */
export function isEmptyText(block: unknown): boolean {
  return isObject(block) && block.type === 'text' && block.text === '';
}

/** `tool-input`: a stream that ended inside the arguments leaves a string here. */
export function hasBadInput(block: unknown): boolean {
  return isCall(block) && !isObject(block.input);
}

/**
 * Whether a block is incomplete: thinking without its signature (`signature`) or with nothing behind it
 * (`thinking-last`). In a reply that was cut, also a call with incomplete arguments, and a server-side call without its
 * result (`server-tool-unanswered`).
 */
export function isIncomplete(block: unknown, message: readonly unknown[], cut: boolean): boolean {
  if (isThinking(block)) return message.at(-1) === block || isUnsigned(block);
  if (!cut || !isCall(block)) return false;
  return hasBadInput(block) || (block.type !== 'tool_use' && !isTakenUp(block.id, message));
}

function isUnsigned(block: JsonObject): boolean {
  return block.type === 'thinking' && !isText(block.signature);
}

/** Whether a server-side call is followed by its result, or by client calls that its code makes. */
function isTakenUp(id: unknown, message: readonly unknown[]): boolean {
  return message.some(
    (block) => isObject(block) && (block.tool_use_id === id || (isObject(block.caller) && block.caller.tool_id === id)),
  );
}

/** A summary that the API was asked for: it is signed, and stands first, for all that it sums up. */
export function isSignedSummary(block: unknown): boolean {
  return isObject(block) && block.type === 'compaction' && isText(block.signature);
}

/** A system message may set the effort from there on, and say nothing. */
export function setsOutput({ role, output_config: config }: JsonObject): boolean {
  return role === 'system' && isObject(config) && Object.keys(config).length > 0;
}

/** `empty-message`, `whitespace-text` */
export function saysNothing(content: readonly unknown[]): boolean {
  return content.every((block) => isObject(block) && block.type === 'text' && !isVisible(block.text));
}

export function isVisible(text: unknown): boolean {
  return typeof text === 'string' && text.trim() !== '';
}

/** Blocks that contain blocks. Results that a server encrypted must not change (`server-result-altered`). */
const NESTING: ReadonlySet<unknown> = new Set(['tool_result', 'mcp_tool_result', 'search_result', 'document']);

/** The lists of blocks inside a tool result, a search result or a document. */
export function innerLists(block: JsonObject): { readonly path: readonly string[]; readonly items: unknown[] }[] {
  if (!NESTING.has(block.type)) return [];
  const inSource = isObject(block.source) ? block.source.content : undefined;
  return [
    ...(Array.isArray(block.content) ? [{ path: ['content'], items: block.content }] : []),
    ...(Array.isArray(inSource) ? [{ path: ['source', 'content'], items: inSource }] : []),
  ];
}

/** Whether a condition holds for any block, nested ones included. */
export function anyBlock(blocks: readonly unknown[], holds: (block: JsonObject) => boolean): boolean {
  return blocks.some(
    (block) => isObject(block) && (holds(block) || innerLists(block).some(({ items }) => anyBlock(items, holds))),
  );
}

/** Removes white space at the end of a draft (`trailing-space`). */
export function trimEnd(draft: Draft): Draft | undefined | null {
  const content = find(draft.text, ['content'])!;
  const last = draft.text[content.start] === '[' ? findElements(draft.text, content.start).at(-1) : undefined;
  const range = last ? find(draft.text, ['text'], last.start) : content;
  const text = range && draft.text.slice(range.start, range.end);
  const said = text?.startsWith('"') ? String(parseJson(text)) : '';
  const trimmed = said.trimEnd();
  if (trimmed === said) return undefined;
  if (trimmed === '') return null;
  return { ...draft, pieces: undefined, text: splice(draft.text, [{ ...range!, text: JSON.stringify(trimmed) }]) };
}

/** Parameters that are one plain member. The tool choice and thinking are not: when a request is read, they stay in `rest`. */
export const PARAM_NAMES: ParamNames = {
  maxTokens: 'max_tokens',
  temperature: 'temperature',
  topP: 'top_p',
  stop: 'stop_sequences',
  stream: 'stream',
};

/** The default of `max_tokens`, which the API requires. */
const MAX_TOKENS = 4096;

/** `budget-min` */
const LEAST_BUDGET = 1024;

/** `thinking-top-p` */
const LEAST_TOP_P = 0.95;

/** The default limit, plus the thinking budget, which counts towards it (`budget-max`). */
export function defaultMaxTokens({ reasoning }: RequestParams, target: ModelTarget): number {
  const { effort, budget = 0 } = reasoning ?? {};
  return MAX_TOKENS + (effort === 'none' || thinksBy(target) === 'effort' ? 0 : budget);
}

/** How thinking is requested from a model: by `budget`, by `effort`, or by `either`. */
export function thinksBy(target: ModelTarget): string | boolean {
  return readQuirk(target, 'thinking', 'effort');
}

/** Whether a model thinks without being asked to, so that no call can be forced (`forced-tool-unsupported`). */
export function alwaysThinks(target: ModelTarget): boolean {
  return readQuirk(target, 'alwaysThinks', false) === true;
}

/** A budget that leaves room for an answer: as given, or half of the limit; undefined if that is too small. */
function fittedBudget(budget: number, maxTokens: number): number | undefined {
  const fitted = budget < maxTokens ? budget : Math.floor(maxTokens / 2);
  return fitted < LEAST_BUDGET ? undefined : fitted;
}

/** Whether a tool call is forced, which excludes thinking by a budget (`thinking-forced-tool`). */
export function forcesTool({ toolChoice }: RequestParams): boolean {
  return toolChoice === 'required' || typeof toolChoice === 'object';
}

/** Drops parameters that the API refuses together with thinking (`thinking-temperature`, `thinking-top-p`). */
function besideThinking({ temperature, topP, ...others }: RequestParams, losses: LossNote[]): RequestParams {
  const takesTemperature = temperature === undefined || temperature === 1;
  const takesTopP = topP === undefined || topP >= LEAST_TOP_P;
  if (!takesTemperature) losses.push(dropped('params.temperature', 'parameter', 'thinking-temperature'));
  if (!takesTopP) losses.push(dropped('params.topP', 'parameter', 'thinking-top-p'));
  return {
    ...others,
    ...(takesTemperature && temperature !== undefined && { temperature }),
    ...(takesTopP && topP !== undefined && { topP }),
  };
}

/**
 * Whether the version of the API is that of October 2026 or later, which takes less: no sampling parameters
 * (`version-sampling`), no citations in texts of the user (`version-citations`), no documents of the assistant. Clouds put
 * their name before the date.
 */
export function isStrictVersion({ apiVersion = '' }: ProviderDescriptor): boolean {
  return (/[\d-]{10}$/.exec(apiVersion)?.[0] ?? '') >= '2026-10-21';
}

/**
 * Drops a budget for thinking beside a forced tool (`thinking-forced-tool`), or where the tool loop that the request is in, or the
 * answer that it ends with, began without thinking (`thinking-first`). The API joins neighbours of one role, so the loop goes back as
 * long as the user's messages contain results.
 */
export function fitThinking(
  target: Target,
  count: number,
  textOf: (index: number) => string,
  losses: LossNote[],
  isResult: (block: unknown) => boolean = isToolResult,
  isThought: (block: unknown) => unknown = isThinking,
): RequestParams {
  const { params } = target;
  const { reasoning, ...others } = params;
  if (reasoning?.budget === undefined || thinksBy(target) === 'effort') return params;
  let start: unknown;
  let isUser = true;
  // An answer that is to be continued is treated as if results followed it.
  let hasResults = count > 0 && (parseJson(textOf(count - 1)) as JsonObject).role === 'assistant';
  for (let at = count - 1; at >= 0; at--) {
    const { role, content } = parseJson(textOf(at)) as JsonObject;
    const blocks = Array.isArray(content) ? content : [content];
    if (role === 'assistant') {
      if (!hasResults) break;
      start = blocks[0];
      isUser = false;
    } else {
      hasResults = (isUser && hasResults) || blocks.some(isResult);
      isUser = true;
    }
  }
  const isForced = forcesTool(params);
  if (!isForced && (start === undefined || isThought(start))) return params;
  losses.push(dropped('params.reasoning', 'parameter', isForced ? 'thinking-forced-tool' : 'thinking-first'));
  return others;
}

/** Drops what the version of the API no longer takes. */
function withoutSampling({ temperature, topP, ...others }: RequestParams, losses: LossNote[]): RequestParams {
  for (const [name, value] of Object.entries({ temperature, topP }))
    if (value !== undefined) losses.push(dropped(`params.${name}`, 'parameter', 'version-sampling'));
  return others;
}

export function writeParams(
  params: RequestParams,
  target: Target,
  hasTools: boolean,
  losses: LossNote[],
): BodyMember[] {
  const { parallelToolCalls: _, modalities, ...given } = params;
  const others = isStrictVersion(target.provider) ? withoutSampling(given, losses) : given;
  const unknown = modalities?.filter((one) => one !== 'text') ?? [];
  if (unknown.length > 0) losses.push(dropped('params.modalities', 'parameter', unknown.join()));
  const { members, simple } = writeThinking(others, target, losses);
  const maxTokens = params.maxTokens ?? defaultMaxTokens(params, target);
  return [
    ...writeSimpleParams({ ...simple, maxTokens }, PARAM_NAMES, losses),
    ['tool_choice', choiceText(params, target, hasTools, losses)],
    ...members,
  ];
}

/**
 * The members that ask for thinking, and the other parameters as far as they are taken beside it. Older models take a
 * budget, newer ones an effort, a few take either (quirk `thinking`). Neither is converted into the other: for a model that
 * takes efforts, a budget only turns thinking on; for a model that takes budgets, an effort is dropped. The effort `none`
 * turns thinking off.
 */
export function writeThinking(
  params: RequestParams,
  target: Target,
  losses: LossNote[],
): { readonly members: readonly BodyMember[]; readonly simple: RequestParams } {
  const { reasoning, ...simple } = params;
  const { effort, budget } = reasoning ?? {};
  const by = thinksBy(target);
  const takesEffort = by !== 'budget';
  const maxTokens = params.maxTokens ?? defaultMaxTokens(params, target);
  const fitted = budget === undefined || by === 'effort' ? undefined : fittedBudget(budget, maxTokens);
  const thinking = (): string | undefined => {
    if (effort === 'none') return alwaysThinks(target) ? undefined : '{"type":"disabled"}';
    if (fitted !== undefined) return `{"type":"enabled","budget_tokens":${fitted}}`;
    return takesEffort && (effort ?? budget) !== undefined ? '{"type":"adaptive"}' : undefined;
  };
  const thought = thinking();
  const isSaid = effort === 'none' ? thought !== undefined : takesEffort;
  if (effort !== undefined && !isSaid) losses.push(dropped('params.reasoning.effort', 'parameter'));
  if (effort !== 'none' && fitted !== budget)
    losses.push((thought ? rewritten : dropped)('params.reasoning.budget', 'parameter'));
  const level = effort !== 'none' && effort && takesEffort ? `{"effort":${JSON.stringify(effort)}}` : undefined;
  return {
    members: [
      ['thinking', thought],
      ['output_config', level],
    ],
    simple: thought !== undefined && effort !== 'none' ? besideThinking(simple, losses) : simple,
  };
}

function choiceText(params: RequestParams, target: Target, hasTools: boolean, losses: LossNote[]): string | undefined {
  const isSingle = params.parallelToolCalls === false;
  if (params.toolChoice === undefined && !isSingle) return undefined;
  if (!hasTools) {
    losses.push(dropped('params.toolChoice', 'parameter', 'no tools'));
    return undefined;
  }
  const isRefused = forcesTool(params) && alwaysThinks(target);
  if (isRefused) losses.push(dropped('params.toolChoice', 'parameter', 'forced-tool-unsupported'));
  const choice = isRefused ? 'auto' : toTargetChoice(params, target, losses);
  const named = typeof choice === 'object' ? { type: 'tool', ...choice } : { type: TYPES[choice ?? 'auto'] };
  return JSON.stringify({ ...named, ...(isSingle && choice !== 'none' && { disable_parallel_tool_use: true }) });
}

const TYPES = { auto: 'auto', none: 'none', required: 'any' } as const;
