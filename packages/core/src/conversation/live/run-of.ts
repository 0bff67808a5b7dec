import { EventLog } from '../../run/event-log.ts';
import type { Run, RunEvent, RunResult } from '../../run/index.ts';
import { toResponse } from '../../run/to-response.ts';

/** A run of events that somebody else makes; it goes on whether or not anyone looks. */
export function runOf<Output>(events: AsyncIterable<RunEvent>, stop: () => void): Run<Output> {
  const log = new EventLog<RunEvent>();
  const drive = async (): Promise<RunResult<Output>> => {
    try {
      let result: RunResult | undefined;
      for await (const event of events) {
        if (event.type === 'finish') result = event.result;
        log.push(event);
      }
      log.end();
      // The schema in `output` has checked that it is one; the last event always has the result.
      return result as RunResult<Output>;
    } catch (error) {
      log.fail(error);
      throw error;
    }
  };
  const result = drive();
  const text = result.then((done) => done.text);
  // Whoever iterates learns of a failure there.
  for (const promise of [result, text]) promise.catch(() => {});
  const readable = { stop, [Symbol.asyncIterator]: () => log.read() };
  const running: Omit<Run<Output>, 'then'> = {
    ...readable,
    result,
    text,
    toResponse: (options) => toResponse(readable, options),
  };
  return running as Run<Output>;
}
