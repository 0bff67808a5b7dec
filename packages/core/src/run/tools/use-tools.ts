import { isObject } from '../../json/index.ts';
import type { Message, ToolUseBlock } from '../../message/index.ts';
import { unansweredCalls } from '../pending.ts';
import type { Running } from '../running.ts';
import { type Answering, answerCalls, refuseCalls, waitingIds } from './answer-calls.ts';
import { ToolSet } from './tool-set.ts';

export { pendingCalls } from '../pending.ts';
export { ToolSet } from './tool-set.ts';

/** A slip must not count as consent. */
export function checkApprovals(approvals: Readonly<Record<string, unknown>>): void {
  for (const [id, approval] of Object.entries(approvals))
    if (approval !== undefined && approval !== 'approve' && !isWritten(approval))
      throw new TypeError(`The approval of "${id}" must be "approve", { deny: "why" } or { result: "text" }`);
}

function isWritten(approval: unknown): boolean {
  return isObject(approval) && typeof (approval.deny ?? approval.result) === 'string';
}

/** Answers the calls of a run's reply. Those that wait for approval are told of, and given back. */
export async function answer(
  calls: readonly ToolUseBlock[],
  running: Running,
  history: readonly Message[],
): Promise<readonly ToolUseBlock[]> {
  const waiting = await answerCalls(calls, answeringFor(running, history));
  const { journal } = running;
  for (const call of waiting) {
    journal.emit({ type: 'approval', call });
    journal.observe({ type: 'approval', callId: call.id, name: call.name });
  }
  return waiting;
}

/** Answers calls that will not be run. */
export function refuse(calls: readonly ToolUseBlock[], why: string, running: Running): void {
  refuseCalls(calls, `The call was not run: ${why}.`, answeringFor(running, []));
}

/** A run answers all calls of its own: those that it finds left behind stay the same. */
const leftBehind = new WeakMap<Running, Promise<readonly string[]>>();

/** Ids of the calls without a result that wait, or would have waited, for an approval. */
export function unapprovedCalls(messages: readonly Message[], running: Running): Promise<readonly string[]> {
  const known = leftBehind.get(running) ?? waitingIds(unansweredCalls(messages), answeringFor(running, messages));
  leftBehind.set(running, known);
  return known;
}

function answeringFor(
  { options, journal, stopping, clock, tools, targets }: Running,
  history: readonly Message[],
): Answering {
  return {
    tools: tools ?? new ToolSet([]),
    targets,
    approvals: options.approvals ?? {},
    history,
    signal: stopping.signal,
    clock,
    onStart: ({ id, rawParameters }, name) =>
      journal.observe({ type: 'tool-start', callId: id, name, arguments: rawParameters }),
    onEnd: (action, message) => {
      const { callId, name, outcome, durationMs } = action;
      journal.actions.push(action);
      journal.emit({ type: 'tool-result', callId, name, message });
      journal.emit({ type: 'action', action });
      journal.observe({ type: 'tool-end', callId, name, outcome, durationMs, message });
    },
    onMessage: (message) => journal.add(message),
  };
}
