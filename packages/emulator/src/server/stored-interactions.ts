/** Interactions as the API keeps them: the steps that later requests continue, and for how long. */
import { asText, type Json, objects, plain } from '../json.ts';
import type { ProviderMemory } from '../memory.ts';
import type { RenderedReply } from '../render/renderer.ts';
import { inputSteps } from '../rules/google-interactions/context.ts';
import type { AnswerContext } from './answer.ts';
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
export function pendingBody({ steps: _, usage: __, ...rest }: Json): Json {
  return { ...rest, status: 'in_progress' };
}
