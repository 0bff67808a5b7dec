/** The paths that fetch, cancel and delete stored interactions. */
import { asText, isObject, type Json, objects, parseJson, stringify } from '../json.ts';
import type { ProviderMemory, StoredResponse } from '../memory.ts';
import type { SseEvent } from '../render/renderer.ts';
import { type AnswerContext, jsonAnswer, messageAnswer } from './answer.ts';
import { deny, type Outcome } from './generate.ts';
import type { Route } from './route.ts';
import type { EmulatorState } from './state.ts';
import { expire, pendingBody } from './stored-interactions.ts';

const accepted = { refusal: undefined, warnings: [] };

const ok = (context: AnswerContext, body: Json): Outcome => ({
  verdict: accepted,
  answer: jsonAnswer({ ...context, stream: undefined }, 200, stringify(body)),
});

export function answerInteraction(
  state: EmulatorState,
  route: Extract<Route, { kind: 'interaction' }>,
  method: string,
  context: AnswerContext,
): Outcome {
  const memory = state.memory(route.protocol, route.issuer);
  expire(state, memory, route.id);
  const kept = memory.kept(route.id);
  if (!kept) {
    const message = `Interaction with id '${route.id}' was not found.`;
    return deny(context, { id: 'not-found', error: { status: 404, message } });
  }
  if (method === 'DELETE') {
    memory.forget(route.id);
    return ok(context, {});
  }
  if (method === 'POST') return cancel(route.id, kept, memory, context);
  memory.keep(route.id, { ...kept, isPending: false });
  if (route.stream) return resume(kept, route.after, context);
  const { response, input } = kept;
  return ok(context, route.input ? { ...response, steps: [...input, ...objects(response.steps)] } : response);
}

function cancel(id: string, kept: StoredResponse, memory: ProviderMemory, context: AnswerContext): Outcome {
  if (!kept.isPending)
    return deny(context, {
      id: 'not-running',
      error: { status: 400, message: `Interaction with id '${id}' is not running in the background.` },
    });
  const response = { ...pendingBody(kept.response), status: 'cancelled', steps: [] };
  memory.keep(id, { ...kept, response, items: kept.items.slice(0, kept.input.length), isPending: false });
  return ok(context, response);
}

/** The events of a stored interaction, from the beginning or behind the one that the client has seen last. */
function resume({ response, events = [] }: StoredResponse, after: string | undefined, context: AnswerContext): Outcome {
  const seen = events.findIndex((event) => readEventId(event) === after);
  if (after !== undefined && seen < 0) {
    const message = `Event with id '${after}' was not found.`;
    return deny(context, { id: 'event-not-found', error: { status: 400, message } });
  }
  const rest = after === undefined ? events : events.slice(seen + 1);
  const rendered = { body: response, events: rest, message: {} };
  return { verdict: accepted, answer: messageAnswer({ ...context, stream: 'sse' }, { blocks: [] }, rendered) };
}

function readEventId({ data = '' }: SseEvent): string | undefined {
  const value = parseJson(data);
  return isObject(value) ? asText(value.event_id) : undefined;
}
