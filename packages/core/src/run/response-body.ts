import type { Message } from '../message/index.ts';
import type { RunEvent, Step } from './result.ts';
import { RunError } from './result.ts';
import { MessageStreamWriter, type TurnEvent } from './ui-stream.ts';

/** The events of a run as the data of server-sent events. */
export async function* responseTexts(
  events: AsyncIterable<RunEvent>,
  format: 'events' | 'ui',
): AsyncGenerator<string, void, undefined> {
  if (format === 'ui') return yield* uiParts(events);
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

/** A run as the parts of an AI SDK UI message stream, each as JSON text, and its end mark. */
async function* uiParts(events: AsyncIterable<RunEvent>): AsyncGenerator<string, void, undefined> {
  const writer = new MessageStreamWriter();
  yield* writer.start();
  try {
    for await (const event of turnEvents(events)) yield* writer.write(event);
  } catch (error) {
    yield* writer.fail(messageOf(error));
  }
  yield '[DONE]';
}

async function* turnEvents(events: AsyncIterable<RunEvent>): AsyncGenerator<TurnEvent, void, undefined> {
  const results = new Map<string, Message>();
  for await (const event of events) {
    switch (event.type) {
      case 'message':
        if (event.message.role === 'assistant') yield { type: 'reply', message: event.message };
        break;
      case 'tool-result':
        results.set(event.callId, event.message);
        break;
      case 'action': {
        const { callId, name, arguments: rawParameters, outcome } = event.action;
        const text = results.get(callId)?.text ?? '';
        yield { type: 'output', callId, name, arguments: rawParameters, text, failed: outcome !== 'done' };
        break;
      }
      case 'finish':
        yield { type: 'finish', reason: event.result.stop.reason };
        break;
      case 'retry':
      case 'notice':
        break;
      default:
        yield event;
    }
  }
}
