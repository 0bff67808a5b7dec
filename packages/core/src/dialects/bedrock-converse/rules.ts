import { find, findElements, isObject, isText, type JsonObject, parseJson, splice } from '../../json/index.ts';
import { alwaysThinks, forcesTool, writeThinking } from '../anthropic-messages/rules.ts';
import { dropped, type LossNote } from '../loss.ts';
import { readQuirk } from '../provider.ts';
import { type ParamNames, type RequestParams, toTargetChoice, writeSimpleParams } from '../request.ts';
import { type BodyMember, joinMembers } from '../write/frame.ts';
import type { Draft, Target } from '../write/writer.ts';

// What the API refuses in its own messages: the view reports it as needs, and writing a request repairs it.

/** The reasoning of a block: `{reasoningText:{text,signature}}` or `{redactedContent}`. */
export function findReasoning(block: unknown): JsonObject | undefined {
  return isObject(block) && isObject(block.reasoningContent) ? block.reasoningContent : undefined;
}

/** A call or a result of a tool that runs at the provider; both stand in the assistant's message. */
export function isServerTool(block: unknown): boolean {
  const inner = isObject(block) ? (block.toolUse ?? block.toolResult) : undefined;
  return isObject(inner) && typeof inner.type === 'string' && inner.type !== 'tool_use' && inner.type !== 'tool_result';
}

export function isToolResult(block: unknown): block is { readonly toolResult: JsonObject } {
  return isObject(block) && isObject(block.toolResult) && !isServerTool(block);
}

export function isCachePoint(block: unknown): boolean {
  return isObject(block) && 'cachePoint' in block;
}

/** `blank-text` */
export function isBlankText(block: unknown): boolean {
  return isObject(block) && typeof block.text === 'string' && block.text.trim() === '';
}

/** `tool-input`: a stream that ended inside the arguments leaves a string here. */
export function hasBadInput(block: unknown): boolean {
  return isObject(block) && isObject(block.toolUse) && !isObject(block.toolUse.input);
}

/**
 * Whether a block is incomplete: reasoning of a model that signs it without its signature, or with nothing behind it
 * (`thinking-last`). In a reply that was cut, also reasoning at its end, and a call with incomplete arguments.
 */
export function isIncomplete(block: unknown, message: readonly unknown[], cut: boolean): boolean {
  const thought = findReasoning(block);
  if (!thought) return cut && hasBadInput(block);
  const isLast = message.at(-1) === block;
  const isSigning = message.some((other) => isSigned(findReasoning(other)));
  return (cut && isLast) || (isSigning && (isLast || !isSigned(thought)));
}

/** Whether reasoning carries a signature, or is one whole ciphertext. Some makers sign theirs, others do not. */
export function isSigned(thought: JsonObject | undefined): boolean {
  if (!thought) return false;
  const { reasoningText, redactedContent } = thought;
  return isText(redactedContent) || (isObject(reasoningText) && isText(reasoningText.signature));
}

/** `empty-message` */
export function saysNothing(content: readonly unknown[]): boolean {
  return content.every((block) => isBlankText(block) || isCachePoint(block));
}

/** `result-empty`: a failed result must say something. */
export function failsSilently(block: unknown): boolean {
  if (!isToolResult(block) || block.toolResult.status !== 'error') return false;
  const { content } = block.toolResult;
  return !Array.isArray(content) || saysNothing(content);
}

/** Removes white space at the end of a draft (`trailing-space`). */
export function trimEnd(draft: Draft): Draft | undefined | null {
  const last = findElements(draft.text, find(draft.text, ['content'])!.start).at(-1);
  const range = last && find(draft.text, ['text'], last.start);
  const said = range ? parseJson(draft.text.slice(range.start, range.end)) : undefined;
  if (typeof said !== 'string' || said.trimEnd() === said) return undefined;
  if (said.trim() === '') return null;
  return {
    ...draft,
    pieces: undefined,
    text: splice(draft.text, [{ ...range!, text: JSON.stringify(said.trimEnd()) }]),
  };
}

/** The members of `inferenceConfig`. */
export const PARAM_NAMES: ParamNames = {
  maxTokens: 'maxTokens',
  temperature: 'temperature',
  topP: 'topP',
  stop: 'stopSequences',
};

/** The members behind the messages. Whether a reply is streamed is told by the address. */
export function writeParams(params: RequestParams, target: Target, losses: LossNote[]): BodyMember[] {
  const { stream: _, toolChoice: __, parallelToolCalls, modalities, reasoning, ...simple } = params;
  if (parallelToolCalls === false) losses.push(dropped('params.parallelToolCalls', 'parameter'));
  const others = modalities?.filter((one) => one !== 'text') ?? [];
  if (others.length > 0) losses.push(dropped('params.modalities', 'parameter', others.join()));
  const thought = writeReasoning({ ...simple, reasoning: reasoning ?? {} }, target, losses);
  const config = joinMembers(writeSimpleParams(thought.simple, PARAM_NAMES, losses));
  const fields = joinMembers(thought.members);
  return [
    ['inferenceConfig', config ? `{${config}}` : undefined],
    ['additionalModelRequestFields', fields ? `{${fields}}` : undefined],
  ];
}

interface ReasoningMembers {
  /** Those of `additionalModelRequestFields`, in which each maker of models has its own. */
  readonly members: readonly BodyMember[];
  /** The other parameters, as far as they are taken beside reasoning. */
  readonly simple: RequestParams;
}

function writeReasoning(params: RequestParams, target: Target, losses: LossNote[]): ReasoningMembers {
  const { reasoning = {}, ...simple } = params;
  const { effort, budget } = reasoning;
  if ((effort ?? budget) === undefined) return { members: [], simple };
  const way = readQuirk(target, 'reasoning', false);
  if (way === 'thinking') return writeThinking(params, target, losses);
  if (budget !== undefined) losses.push(dropped('params.reasoning.budget', 'parameter'));
  const word = JSON.stringify(effort);
  const isKnown = effort !== undefined && typeof way === 'string' && effort !== 'none';
  if (effort !== undefined && !isKnown) losses.push(dropped('params.reasoning.effort', 'parameter'));
  if (!isKnown) return { members: [], simple };
  const text = way === 'reasoningConfig' ? `{"type":"enabled","maxReasoningEffort":${word}}` : word;
  return { members: [[way, text]], simple };
}

/** `toolChoice`; the API has no word for "none". */
export function writeChoice(
  params: RequestParams,
  target: Target,
  hasTools: boolean,
  losses: LossNote[],
): string | undefined {
  // What the model's own API refuses is refused here, too.
  const isRefused = hasTools && forcesTool(params) && alwaysThinks(target);
  if (isRefused) losses.push(dropped('params.toolChoice', 'parameter', 'forced-tool-unsupported'));
  const choice = isRefused ? 'auto' : toTargetChoice(params, target, losses, hasTools);
  if (choice === 'none') losses.push(dropped('params.toolChoice', 'parameter', 'none'));
  if (typeof choice === 'object') return JSON.stringify({ tool: choice });
  return choice === 'auto' ? '{"auto":{}}' : choice === 'required' ? '{"any":{}}' : undefined;
}
