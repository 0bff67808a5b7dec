import { isObject, type JsonObject } from '../../json/index.ts';
import type { Stop, StopReason } from '../reply.ts';

const REASONS: ReadonlyMap<string, StopReason> = new Map([
  ['failed', 'error'],
  ['cancelled', 'cut'],
  ['max_output_tokens', 'length'],
  ['content_filter', 'filter'],
]);

/** Why a response ended: its status, for an incomplete one the reason given, for a complete one what it holds. */
export function stopOf({ status, incomplete_details: details }: JsonObject, items: readonly unknown[]): Stop {
  const given = status === 'incomplete' && isObject(details) ? details.reason : undefined;
  const native = [given, status].find((word) => typeof word === 'string');
  const isComplete = native === undefined || native === 'completed' || native === 'complete';
  return { reason: isComplete ? completed(items) : (REASONS.get(native) ?? 'unknown'), native };
}

function completed(items: readonly unknown[]): StopReason {
  const values = items.filter(isObject);
  if (values.some(({ type }) => type === 'function_call' || type === 'custom_tool_call')) return 'tool-use';
  const parts = values.flatMap(({ content }): unknown[] => (Array.isArray(content) ? content : []));
  return parts.some((part) => isObject(part) && part.type === 'refusal') ? 'refusal' : 'end';
}
