import { elementTexts, find, isObject, type JsonObject, parseJson, splice, textAt } from '../../json/index.ts';
import type { RawReply } from '../dialect.ts';
import { count, ProtocolError, type Stop, type StopReason, type Usage } from '../reply.ts';
import { DIALECT } from './provider.ts';
import { hasType, isModelStep, turnText } from './steps.ts';

/**
 * Reads an interaction: the steps of the model are the message, everything else is the envelope. An interaction that is
 * fetched later may begin with the client's steps: they stay in the envelope.
 */
export function readReply(body: string): RawReply {
  const value = parseJson(body);
  if (!isObject(value) || (!Array.isArray(value.steps) && value.object !== 'interaction'))
    throw new ProtocolError(DIALECT, 'neither "steps" nor an interaction', body);
  const steps: readonly unknown[] = Array.isArray(value.steps) ? value.steps : [];
  const range = Array.isArray(value.steps) ? find(body, ['steps']) : undefined;
  const texts = range ? elementTexts(body, range.start) : [];
  const first = steps.findLastIndex((step) => !isModelStep(step)) + 1;
  const before = first > 0 ? turnText(texts.slice(0, first)) : 'null';
  const envelope = range ? splice(body, [{ ...range, text: before }]) : body;
  return toReply(body, value, turnText(texts.slice(first)), steps.slice(first), envelope);
}

export function toReply(
  interaction: string,
  value: JsonObject,
  raw: string,
  steps: readonly unknown[],
  envelope: string,
): RawReply {
  return {
    choices: [{ raw, stop: readStop(value, steps) }],
    usage: readUsage(value.usage, textAt(interaction, ['usage'])),
    envelope,
    model: value.model ?? value.agent,
  };
}

/** The input includes cached tokens; tokens of the provider's own tools come on top; the output does not include thoughts. */
function readUsage(value: unknown, native: string | undefined): Usage | undefined {
  if (!isObject(value) || native === undefined) return undefined;
  const cacheRead = count(value, 'total_cached_tokens');
  return {
    input: Math.max(0, count(value, 'total_input_tokens') - cacheRead) + count(value, 'total_tool_use_tokens'),
    cacheRead,
    cacheWrite5m: 0,
    cacheWrite1h: 0,
    output: count(value, 'total_output_tokens'),
    reasoning: count(value, 'total_thought_tokens'),
    native,
  };
}

const REASONS: ReadonlyMap<string, StopReason> = new Map([
  ['completed', 'end'],
  ['requires_action', 'tool-use'],
  ['requires_continuation', 'pause'],
  ['incomplete', 'length'],
  ['budget_exceeded', 'length'],
  ['failed', 'error'],
  ['cancelled', 'cut'],
]);

/** Reads why an interaction ended. Google adds statuses over time: those that are not listed are `unknown`. */
function readStop({ status }: JsonObject, steps: readonly unknown[]): Stop {
  if (typeof status !== 'string') return { reason: 'unknown', native: undefined };
  const reason = REASONS.get(status) ?? 'unknown';
  const calls = steps.some((step) => hasType(step, 'function_call'));
  return { reason: reason === 'end' && calls ? 'tool-use' : reason, native: status };
}
