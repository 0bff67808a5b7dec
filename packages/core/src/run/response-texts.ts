import { RunError } from './errors.ts';
import type { RunEvent, Step } from './types.ts';
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
  return JSON.stringify(shown(event), (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value));
}

/** Without what was asked and how: system, tools and history are not for the reader, and grow with every turn. */
function shown(event: RunEvent): object {
  if (event.type === 'message' && event.step) return { ...event, step: shownStep(event.step) };
  if (event.type !== 'finish') return event;
  const { manifest: _, checkpoints: __, steps, ...result } = event.result;
  return { ...event, result: { ...result, steps: steps.map(shownStep) } };
}

/** Some APIs repeat the request in the envelope of the reply. */
function shownStep({ manifest: _, envelope: __, ...step }: Step): object {
  return step;
}

/** The message alone: causes and bodies may hold what is not for the reader. */
function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
