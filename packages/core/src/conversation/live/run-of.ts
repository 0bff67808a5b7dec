import type { Run, RunEvent, RunResult } from '../../run/index.ts';
import { EventLog, makeRun } from '../../run/run-handle.ts';

/** A run of events that someone else makes. It continues whether or not anyone reads it. */
export function runFromEvents<Output>(events: AsyncIterable<RunEvent>, stop: () => void): Run<Output> {
  const log = new EventLog<RunEvent>();
  const drive = async (): Promise<RunResult<Output>> => {
    try {
      let result: RunResult | undefined;
      for await (const event of events) {
        if (event.type === 'finish') result = event.result;
        log.push(event);
      }
      log.end();
      // `output` has checked the answer by its schema; the last event always has the result.
      return result as RunResult<Output>;
    } catch (error) {
      log.fail(error);
      throw error;
    }
  };
  return makeRun(log, drive(), stop);
}
