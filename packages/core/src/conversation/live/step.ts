import { type RunEvent, type RunOptions, type RunResult, run } from '../../run/index.ts';
import { EventLog } from '../../run/run-handle.ts';
import type { MessageList } from '../message-list.ts';

/** One request and its tools, on its way into a list. */
export interface StepRun {
  /** From the first one; each message is in the list when it is told. */
  events(): AsyncGenerator<RunEvent, void, undefined>;
  stop(): void;
  /** Never rejects. */
  readonly settled: Promise<{ readonly result: RunResult } | { readonly failure: unknown }>;
  /** How many messages the list has up to and with those of this step. */
  end(): number;
}

/**
 * Messages are kept as they come, whoever looks, and stand together: what is appended to the list meanwhile stays behind
 * them, so that nothing comes between a call and its result.
 */
export function startStep(options: Omit<RunOptions, 'messages'>, list: MessageList): StepRun {
  let end = list.length;
  const running = run({ ...options, messages: [...list] });
  const log = new EventLog<RunEvent>();
  const keep = async () => {
    try {
      for await (const event of running) {
        if (event.type === 'message') list.insert(end++, event.message);
        log.push(event);
      }
      log.end();
      return { result: await running.result };
    } catch (failure) {
      log.fail(failure);
      return { failure };
    }
  };
  const settled = keep();
  return { events: () => log.read(), stop: () => running.stop(), settled, end: () => end };
}
