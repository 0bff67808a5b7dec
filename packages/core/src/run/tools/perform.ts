import type { Content } from '../../message/index.ts';
import type { Clock } from '../../providers/index.ts';
import type { FanOut } from './fan-out.ts';
import { outputContent } from './output.ts';
import { messageOf, type Outcome } from './prepare.ts';
import type { Tool, ToolContext } from './types.ts';

export interface Performed {
  readonly outcome: Outcome;
  readonly content: Content;
}

/** Runs a tool until it is done, its time is up or the run is stopped, whichever comes first. It never throws. */
export function perform(
  tool: Tool,
  input: unknown,
  context: ToolContext,
  clock: Clock,
  stops: FanOut,
): Promise<Performed> {
  const { signal } = context;
  if (signal.aborted) return Promise.resolve({ outcome: 'aborted', content: NOT_BEGUN });
  const own = new AbortController();
  return new Promise((resolve) => {
    const settle = (outcome: Outcome, content: Content) => {
      cancel();
      stops.remove(stop);
      resolve({ outcome, content });
    };
    const stop = () => {
      settle('aborted', STOPPED);
      own.abort(signal.reason);
    };
    const { timeoutMs } = tool;
    const cancel =
      timeoutMs === undefined
        ? () => {}
        : clock.setTimer(timeoutMs, () => {
            const problem = `The tool did not finish within ${timeoutMs / 1000} s.`;
            settle('timed-out', `${problem} ${UNSURE}`);
            own.abort(new Error(problem));
          });
    stops.add(stop);
    execute(tool, input, { ...context, signal: own.signal }).then(
      (content) => settle('done', content),
      (error: unknown) => settle('failed', messageOf(error)),
    );
  });
}

const UNSURE = 'It may or may not have had an effect.';
const STOPPED = `The call was stopped before it was done. ${UNSURE}`;
const NOT_BEGUN = 'The call was stopped before it began.';

async function execute(tool: Tool, input: unknown, context: ToolContext): Promise<Content> {
  return outputContent(await tool.execute(input, context));
}
