import { isObject, type JsonObject } from '../../json/index.ts';
import type { Stop, StopReason } from '../reply.ts';
import { isAssistantMessage } from './items.ts';

const INCOMPLETE: Readonly<Record<string, StopReason>> = { max_output_tokens: 'length', content_filter: 'filter' };

/** Why a response ended: its status, for an incomplete one the reason given, for a complete one what it holds. */
export function stopOf(response: JsonObject, items: readonly unknown[]): Stop {
  const { status, incomplete_details: details } = response;
  const native = typeof status === 'string' ? status : undefined;
  switch (native) {
    case 'completed':
    case 'complete':
    case undefined:
      return { reason: completed(items), native };
    case 'incomplete': {
      const word = isObject(details) && typeof details.reason === 'string' ? details.reason : native;
      return { reason: INCOMPLETE[word] ?? 'unknown', native: word };
    }
    case 'failed':
      return { reason: 'error', native };
    case 'cancelled':
      return { reason: 'cut', native };
    default:
      return { reason: 'unknown', native };
  }
}

function completed(items: readonly unknown[]): StopReason {
  if (items.some(isCall)) return 'tool-use';
  return items.some(refuses) ? 'refusal' : 'end';
}

function isCall(item: unknown): boolean {
  return isObject(item) && (item.type === 'function_call' || item.type === 'custom_tool_call');
}

function refuses(item: unknown): boolean {
  return (
    isAssistantMessage(item) &&
    Array.isArray(item.content) &&
    item.content.some((part) => isObject(part) && part.type === 'refusal')
  );
}
