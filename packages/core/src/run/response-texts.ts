import { RunError } from './errors.ts';
import type { RunEvent } from './types.ts';
import { uiParts } from './ui-stream.ts';

/** The events of a run as the data of server-sent events. */
export async function* responseTexts(
  events: AsyncIterable<RunEvent>,
  format: 'events' | 'ui',
): AsyncGenerator<string, void, undefined> {
  if (format === 'ui') return yield* uiParts(events, messageOf);
  try {
    for await (const event of events) yield jsonText(event);
  } catch (error) {
    yield JSON.stringify({
      type: 'error',
      code: error instanceof RunError ? error.code : 'failed',
      message: messageOf(error),
    });
  }
}

/** Messages write themselves as `raw` and `origin`. */
function jsonText(event: RunEvent): string {
  return JSON.stringify(event, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value));
}

/** The message alone: causes and bodies may hold what is not for the reader. */
function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
