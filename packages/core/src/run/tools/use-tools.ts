import type { Message, ToolUseBlock } from '../../message/index.ts';
import type { Running } from '../running.ts';
import { type Answering, answerCalls, refuseCalls } from './answer-calls.ts';
import { ToolSet } from './tool-set.ts';

export { pendingCalls } from '../pending.ts';
export { ToolSet } from './tool-set.ts';

/** Answers the calls of a run's reply. Those that wait for approval are told of, and given back. */
export async function answer(
  calls: readonly ToolUseBlock[],
  running: Running,
  history: readonly Message[],
): Promise<readonly ToolUseBlock[]> {
  const waiting = await answerCalls(calls, answeringFor(running, history));
  for (const call of waiting) running.journal.waitFor(call);
  return waiting;
}

/** Answers calls that will not be run. */
export function refuse(calls: readonly ToolUseBlock[], why: string, running: Running): void {
  refuseCalls(calls, `The call was not run: ${why}.`, answeringFor(running, []));
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
    onEnd: (action, message) => journal.act(action, message),
    onMessage: (message) => journal.add(message),
  };
}
