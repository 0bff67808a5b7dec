/** Stored interactions: the histories that later requests continue, and the paths that fetch, cancel and delete them. */

import { asText, type Json, objects, parseJson, plain, stringify } from '../json.ts';
import type { ProviderMemory, StoredResponse } from '../memory.ts';
import type { RenderedReply, SseEvent } from '../render/renderer.ts';
import { inputSteps } from '../rules/google-interactions/context.ts';
import { type AnswerContext, jsonAnswer, messageAnswer } from './answer.ts';
import { deny, type Outcome } from './generate.ts';
import type { Route } from './route.ts';
import type { EmulatorState } from './state.ts';

const DAY = 24 * 60 * 60 * 1000;

/** How long the API keeps interactions of paying users. */
const RETENTION = 55 * DAY;

/** Forgets an interaction whose time is over. */
export function expire(state: EmulatorState, memory: ProviderMemory, id: string | undefined): void {
  const kept = id === undefined ? undefined : memory.kept(id);
  const { retention = RETENTION } = state.settings;
  if (id !== undefined && kept?.at !== undefined && state.configuration.now() - kept.at > retention) memory.forget(id);
}

/** A request with the steps of the interaction that it continues. */
export function withStoredSteps(body: Json, memory: ProviderMemory): Json {
  const id = asText(body.previous_interaction_id);
  const before = id === undefined ? [] : (memory.kept(id)?.items ?? []);
  return { ...body, input: [...before, ...inputSteps(body.input)] };
}

/** Stores an interaction, which is the default. One in the background is complete when it is first fetched. */
export function showInteraction(
  request: Json,
  rendered: RenderedReply,
  memory: ProviderMemory,
  { now, stream }: AnswerContext,
): RenderedReply {
  if (request.store === false) return rendered;
  const response = plain(rendered.body) as Json;
  const items = [...objects(withStoredSteps(request, memory).input), ...objects(response.steps)];
  const isPending = request.background === true && stream === undefined;
  const { events } = rendered;
  memory.keep(`${response.id}`, { response, items, input: inputSteps(request.input), at: now, events, isPending });
  return isPending ? { ...rendered, body: pendingBody(rendered.body) } : rendered;
}

/** What a request in the background is answered with. */
function pendingBody({ steps: _, usage: __, ...rest }: Json): Json {
  return { ...rest, status: 'in_progress' };
}

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
  return typeof value === 'object' && value !== null ? asText((value as Json).event_id) : undefined;
}
