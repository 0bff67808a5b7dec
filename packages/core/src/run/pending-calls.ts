import { CallTracker } from '../dialects/write/drafts.ts';
import type { Message, ToolUseBlock } from '../message/index.ts';

/**
 * The calls that a history leaves open: those of the last assistant message without a result, when only results follow it.
 * The calls of a message that was cut are unfinished and do not count.
 *
 * @example
 * for (const call of pendingCalls(messages)) console.log(`${call.name} waits for approval`);
 */
export function pendingCalls(history: readonly Message[]): readonly ToolUseBlock[] {
  const at = history.findLastIndex((message) => !isOnlyResults(message));
  const last = history[at];
  if (last?.role !== 'assistant' || last.origin.cut || last.facts.calls.length === 0) return [];
  return unansweredCalls(history.slice(at));
}

/** All calls of a history that have no result. */
export function unansweredCalls(history: readonly Message[]): readonly ToolUseBlock[] {
  const tracker = new CallTracker();
  const answered = new Set(
    history.flatMap((message) => {
      const calls = tracker.next(message, false);
      return message.facts.results.map((id) => calls.find(id)?.id);
    }),
  );
  return history.flatMap((message) =>
    !message.origin.cut && message.facts.calls.some(({ id }) => !answered.has(id))
      ? message.toolUses.filter(({ id }) => !answered.has(id))
      : [],
  );
}

function isOnlyResults(message: Message): boolean {
  return (
    message.role === 'tool' ||
    (message.facts.results.length > 0 && message.content.every(({ type }) => type === 'tool-result'))
  );
}
