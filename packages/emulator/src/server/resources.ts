/** Everything that is no generation: models, token counts, stored responses, conversations. */
import { isObject, type Json, objects, parseJson, stringify } from '../json.ts';
import type { Protocol } from '../protocol.ts';
import { createMint } from '../render/rendered.ts';
import { estimateTokens } from '../reply/pieces.ts';
import { checkKey, checkModel, type Denial } from './access.ts';
import { type Asked, jsonAnswer } from './answer.ts';
import { inputItems } from './chain.ts';
import { defaultError } from './errors.ts';
import { denied, type Judged, type Received, refusalAnswer } from './generate.ts';
import type { Route } from './route.ts';
import { judgeFor } from './settings.ts';
import type { World } from './world.ts';

const accepted = { refusal: undefined, warnings: [] };
const ok = (asked: Asked, body: Json): Judged => ({
  verdict: accepted,
  answer: jsonAnswer(asked, 200, stringify(body)),
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
  'google-generatecontent': (id) => ({
    name: `models/${id}`,
    version: '001',
    displayName: id,
    inputTokenLimit: 1_048_576,
    outputTokenLimit: 65_536,
    supportedGenerationMethods: ['generateContent', 'countTokens'],
  }),
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
};

function models({ configuration }: World, { protocol, id }: Extract<Route, { kind: 'models' }>, asked: Asked): Judged {
  const form = (name: string) => modelForms[protocol](name, Math.floor(asked.now / 1000));
  if (id === undefined) return ok(asked, listForms[protocol](configuration.models.map(form)));
  const missing = checkModel(protocol, id);
  return missing ? denied(asked, missing) : ok(asked, form(id));
}

/** Counted on the same terms as generated; only `max_tokens` is not asked for. */
function countTokens(
  world: World,
  route: Extract<Route, { kind: 'count-tokens' }>,
  { text, headers, asked }: Received,
): Judged {
  const { protocol, issuer, model } = route;
  if (protocol === 'google-generatecontent') return ok(asked, { totalTokens: estimateTokens(text) });
  const body = parseJson(text);
  const verdict = judgeFor(
    protocol,
    world.settings,
  )({
    body: isObject(body) ? JSON.stringify({ ...body, max_tokens: Number.MAX_SAFE_INTEGER }) : text,
    headers,
    memory: world.memory(protocol, issuer),
    settings: world.settings,
    ...(model !== undefined && { model }),
  });
  if (verdict.refusal) return { verdict, answer: refusalAnswer(asked, verdict.refusal) };
  return ok(asked, { input_tokens: estimateTokens(text) });
}

const missing = (what: string, id: string): Denial => ({
  id: 'not-found',
  error: { status: 404, message: `${what} with id '${id}' not found.` },
});

function response(world: World, route: Extract<Route, { kind: 'response' }>, method: string, asked: Asked): Judged {
  const memory = world.memory(route.protocol, route.issuer);
  const kept = memory.kept(route.id);
  if (!kept) return denied(asked, missing('Response', route.id));
  if (route.items) return ok(asked, { object: 'list', data: kept.input, has_more: false });
  if (method === 'GET') return ok(asked, kept.response);
  memory.forget(route.id);
  return ok(asked, { id: route.id, object: 'response', deleted: true });
}

function conversation(
  world: World,
  route: Extract<Route, { kind: 'conversation' }>,
  method: string,
  received: Received,
): Judged {
  const { asked, text } = received;
  const memory = world.memory(route.protocol, route.issuer);
  if (route.id === undefined) {
    const body = parseJson(text);
    const fields = isObject(body) ? body : {};
    const attempt = world.attempt(route.protocol, `${route.issuer}/conversations`, text);
    const id = createMint(world.seedFor(`conversation ${text}`, attempt), memory.sealer).id('conv_', 48);
    const created = {
      id,
      object: 'conversation',
      created_at: Math.floor(asked.now / 1000),
      metadata: fields.metadata ?? {},
    };
    memory.keep(id, { response: created, items: objects(inputItems(fields.items)), input: [] });
    return ok(asked, created);
  }
  const kept = memory.kept(route.id);
  if (!kept) return denied(asked, missing('Conversation', route.id));
  if (method === 'GET') return ok(asked, kept.response);
  memory.forget(route.id);
  return ok(asked, { id: route.id, object: 'conversation.deleted', deleted: true });
}

/** A path or a method that the API does not have. */
function lost({ protocol, kind }: Resource, method: string, path: string): Denial {
  const status = kind === 'unknown' || protocol === 'google-generatecontent' ? 404 : 405;
  const error = defaultError(protocol, status);
  if (!protocol.startsWith('openai')) return { id: kind, error };
  return kind === 'unknown'
    ? { id: kind, error: { ...error, message: `Invalid URL (${method} ${path})` } }
    : { id: kind, error: { ...error, message: 'Only POST requests are accepted.', code: 'method_not_supported' } };
}

type Resource = Exclude<Route, { kind: 'generate' }>;

export function resource(world: World, route: Resource, method: string, path: string, received: Received): Judged {
  const { asked, headers } = received;
  if (route.kind === 'wrong-method' || route.kind === 'unknown') return denied(asked, lost(route, method, path));
  const denial = checkKey(route.protocol, headers, world.configuration.key);
  if (denial) return denied(asked, denial);
  switch (route.kind) {
    case 'models':
      return models(world, route, asked);
    case 'count-tokens':
      return countTokens(world, route, received);
    case 'response':
      return response(world, route, method, asked);
    case 'conversation':
      return conversation(world, route, method, received);
  }
}
