/** Every request other than a generation: models, token counts, stored responses and interactions, conversations. */
import { asText, isObject, type Json, objects, parseJson, stringify } from '../json.ts';
import type { ProviderMemory, StoredResponse } from '../memory.ts';
import type { Protocol } from '../protocol.ts';
import { createMint, estimateTokens, type SseEvent } from '../render/renderer.ts';
import { checkKey, checkModel, type Denial } from './access.ts';
import { type AnswerContext, jsonAnswer, messageAnswer } from './answer.ts';
import { defaultError } from './errors.ts';
import { deny, inputItems, judgeFor, type Outcome, type ReceivedRequest, refusalAnswer } from './generate.ts';
import type { Route } from './route.ts';
import type { EmulatorState } from './state.ts';
import { expire, pendingBody } from './stored-interactions.ts';

const accepted = { refusal: undefined, warnings: [] };
const ok = (context: AnswerContext, body: Json): Outcome => ({
  verdict: accepted,
  answer: jsonAnswer(context, 200, stringify(body)),
});

const googleModel = (id: string): Json => ({
  name: `models/${id}`,
  version: '001',
  displayName: id,
  inputTokenLimit: 1_048_576,
  outputTokenLimit: 65_536,
  supportedGenerationMethods: ['generateContent', 'countTokens', 'createInteraction'],
});

const modelForms: Readonly<Record<Protocol, (id: string, created: number) => Json>> = {
  'openai-chat': (id, created) => ({ id, object: 'model', created, owned_by: 'emulator' }),
  'openai-responses': (id, created) => ({ id, object: 'model', created, owned_by: 'emulator' }),
  'anthropic-messages': (id, created) => ({
    type: 'model',
    id,
    display_name: id,
    created_at: new Date(created * 1000).toISOString(),
  }),
  'google-generatecontent': googleModel,
  'google-interactions': googleModel,
  'bedrock-converse': (id) => ({ modelId: id, modelName: id }),
  'cohere-chat': (name) => ({ name, endpoints: ['chat'] }),
};

const listForms: Readonly<Record<Protocol, (models: readonly Json[]) => Json>> = {
  'openai-chat': (data) => ({ object: 'list', data }),
  'openai-responses': (data) => ({ object: 'list', data }),
  'anthropic-messages': (data) => ({
    data,
    has_more: false,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
  }),
  'google-generatecontent': (models) => ({ models }),
  'bedrock-converse': (modelSummaries) => ({ modelSummaries }),
  'cohere-chat': (models) => ({ models }),
  'google-interactions': (models) => ({ models }),
};

function models(
  { configuration }: EmulatorState,
  { protocol, id }: Extract<Route, { kind: 'models' }>,
  context: AnswerContext,
): Outcome {
  const form = (name: string) => modelForms[protocol](name, Math.floor(context.now / 1000));
  if (id === undefined) return ok(context, listForms[protocol](configuration.models.map(form)));
  const missing = checkModel(protocol, id);
  return missing ? deny(context, missing) : ok(context, form(id));
}

/** Judged like a generation, except that `max_tokens` may be missing. */
function countTokens(
  state: EmulatorState,
  route: Extract<Route, { kind: 'count-tokens' }>,
  { text, headers, context }: ReceivedRequest,
): Outcome {
  const { protocol, issuer, model } = route;
  if (protocol === 'google-generatecontent') return ok(context, { totalTokens: estimateTokens(text) });
  const body = parseJson(text);
  const verdict = judgeFor(
    protocol,
    state.settings,
  )({
    body: isObject(body) ? JSON.stringify({ ...body, max_tokens: Number.MAX_SAFE_INTEGER }) : text,
    headers,
    memory: state.memory(protocol, issuer),
    settings: state.settings,
    ...(model !== undefined && { model }),
  });
  if (verdict.refusal) return { verdict, answer: refusalAnswer(context, verdict.refusal) };
  return ok(context, { input_tokens: estimateTokens(text) });
}

const missing = (what: string, id: string): Denial => ({
  id: 'not-found',
  error: { status: 404, message: `${what} with id '${id}' not found.` },
});

function response(
  state: EmulatorState,
  route: Extract<Route, { kind: 'response' }>,
  method: string,
  context: AnswerContext,
): Outcome {
  const memory = state.memory(route.protocol, route.issuer);
  const kept = memory.kept(route.id);
  if (!kept) return deny(context, missing('Response', route.id));
  if (route.items) return ok(context, { object: 'list', data: kept.input, has_more: false });
  if (method === 'GET') return ok(context, kept.response);
  memory.forget(route.id);
  return ok(context, { id: route.id, object: 'response', deleted: true });
}

function conversation(
  state: EmulatorState,
  route: Extract<Route, { kind: 'conversation' }>,
  method: string,
  received: ReceivedRequest,
): Outcome {
  const { context, text } = received;
  const memory = state.memory(route.protocol, route.issuer);
  if (route.id === undefined) {
    const body = parseJson(text);
    const fields = isObject(body) ? body : {};
    const attempt = state.attempt(route.protocol, `${route.issuer}/conversations`, text);
    const id = createMint(state.seedFor(`conversation ${text}`, attempt), memory.sealer).id('conv_', 48);
    const created = {
      id,
      object: 'conversation',
      created_at: Math.floor(context.now / 1000),
      metadata: fields.metadata ?? {},
    };
    memory.keep(id, { response: created, items: objects(inputItems(fields.items)), input: [] });
    return ok(context, created);
  }
  const kept = memory.kept(route.id);
  if (!kept) return deny(context, missing('Conversation', route.id));
  if (method === 'GET') return ok(context, kept.response);
  memory.forget(route.id);
  return ok(context, { id: route.id, object: 'conversation.deleted', deleted: true });
}

/** A path or a method that the API does not have. */
function noSuchRoute({ protocol, kind }: Resource, method: string, path: string): Denial {
  const status = kind === 'unknown' || protocol === 'google-generatecontent' ? 404 : 405;
  const error = defaultError(protocol, status);
  if (!protocol.startsWith('openai')) return { id: kind, error };
  return kind === 'unknown'
    ? { id: kind, error: { ...error, message: `Invalid URL (${method} ${path})` } }
    : { id: kind, error: { ...error, message: 'Only POST requests are accepted.', code: 'method_not_supported' } };
}

type Resource = Exclude<Route, { kind: 'generate' }>;

export function answerResource(
  state: EmulatorState,
  route: Resource,
  method: string,
  path: string,
  received: ReceivedRequest,
): Outcome {
  const { context, headers } = received;
  if (route.kind === 'wrong-method' || route.kind === 'unknown') return deny(context, noSuchRoute(route, method, path));
  const denial = checkKey(route.protocol, headers, state.configuration.key);
  if (denial) return deny(context, denial);
  switch (route.kind) {
    case 'models':
      return models(state, route, context);
    case 'count-tokens':
      return countTokens(state, route, received);
    case 'interaction':
      return answerInteraction(state, route, method, context);
    case 'response':
      return response(state, route, method, context);
    case 'conversation':
      return conversation(state, route, method, received);
  }
}

const answerWhole = (context: AnswerContext, body: Json): Outcome => ({
  verdict: accepted,
  answer: jsonAnswer({ ...context, stream: undefined }, 200, stringify(body)),
});

/** The paths that fetch, cancel and delete stored interactions. */
function answerInteraction(
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
    return answerWhole(context, {});
  }
  if (method === 'POST') return cancel(route.id, kept, memory, context);
  memory.keep(route.id, { ...kept, isPending: false });
  if (route.stream) return resume(kept, route.after, context);
  const { response, input } = kept;
  return answerWhole(context, route.input ? { ...response, steps: [...input, ...objects(response.steps)] } : response);
}

function cancel(id: string, kept: StoredResponse, memory: ProviderMemory, context: AnswerContext): Outcome {
  if (!kept.isPending)
    return deny(context, {
      id: 'not-running',
      error: { status: 400, message: `Interaction with id '${id}' is not running in the background.` },
    });
  const response = { ...pendingBody(kept.response), status: 'cancelled', steps: [] };
  memory.keep(id, { ...kept, response, items: kept.items.slice(0, kept.input.length), isPending: false });
  return answerWhole(context, response);
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
