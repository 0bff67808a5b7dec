/** The one thing a provider is for: judges a request and answers it. */
import { views } from '../brain/view.ts';
import { isObject, type Json, parseJson, plain, textOf } from '../json.ts';
import type { ProviderMemory } from '../memory/memory.ts';
import { renderers } from '../render/render.ts';
import { createMint } from '../render/rendered.ts';
import type { MessageReply, Reply } from '../reply/reply.ts';
import { thinkingMismatches } from '../rules/anthropic-messages/rules-signature.ts';
import type { JudgedRequest, Refusal, Verdict } from '../rules/verdict.ts';
import { checkKey, checkModel, type Denial, type Headers } from './access.ts';
import { type Asked, errorAnswer, jsonAnswer, messageAnswer, rawAnswer, scriptedError } from './answer.ts';
import { keepResponse, resolved } from './chain.ts';
import { errorBody } from './errors.ts';
import type { Route } from './route.ts';
import type { Answer } from './send.ts';
import { judgeFor } from './settings.ts';
import type { World } from './world.ts';

export type GenerateRoute = Extract<Route, { kind: 'generate' }>;

export interface Judged {
  readonly verdict: Verdict;
  readonly answer: Answer;
}

/** A denial in the form of a verdict, so that the log names its rule too. */
export function denied(asked: Asked, { id, error }: Denial): Judged {
  const body = JSON.stringify(errorBody(asked.protocol, error, asked.requestId));
  const refusal = { rule: `${asked.protocol}.${id}`, status: error.status, message: error.message, body };
  return { verdict: { refusal, warnings: [] }, answer: errorAnswer(asked, error) };
}

export interface Received {
  readonly text: string;
  readonly headers: Headers;
  readonly asked: Asked;
}

export async function generate(world: World, route: GenerateRoute, received: Received): Promise<Judged> {
  const { text, headers } = received;
  const { protocol, issuer } = route;
  const denial = checkKey(protocol, headers, world.configuration.key);
  if (denial) return denied(received.asked, denial);
  const parsed = parseJson(text);
  const body = isObject(parsed) ? parsed : {};
  const model = route.model ?? textOf(body.model) ?? '';
  const stream = route.stream ?? (protocol !== 'google-generatecontent' && body.stream === true ? 'sse' : undefined);
  const asked: Asked = { ...received.asked, stream };
  const missing = checkModel(protocol, model);
  if (missing) return denied(asked, missing);

  const memory = world.memory(protocol, issuer);
  const request: JudgedRequest = {
    body: text,
    headers,
    memory,
    settings: world.settings,
    ...(route.model !== undefined && { model: route.model }),
  };
  const verdict = judgeFor(protocol, world.settings, world.configuration.issuers[issuer])(request);
  if (verdict.refusal) return { verdict, answer: refusalAnswer(asked, verdict.refusal) };

  const attempt = world.attempt(protocol, issuer, text);
  const full = protocol === 'openai-responses' ? resolved(body, memory) : body;
  const reply: Reply =
    world.next(protocol, issuer) ??
    (await world.configuration.brain({
      protocol,
      issuer,
      model,
      stream: stream !== undefined,
      attempt,
      body,
      ...views[protocol](full),
    }));
  if ('raw' in reply) return { verdict, answer: rawAnswer(reply) };
  if ('error' in reply) return { verdict, answer: scriptedError(asked, reply) };
  const dropped = protocol === 'anthropic-messages' ? withDropped(reply, thinkingMismatches(request)) : reply;
  const rendered = renderers[protocol](dropped, {
    request: body,
    text,
    model,
    mint: createMint(world.seedFor(text, attempt), memory.sealer),
    created: Math.floor(asked.now / 1000),
    refuseOwnFields: world.settings.refuseOwnFields ?? false,
  });
  remember(memory, body, rendered.message, plain(rendered.body));
  return { verdict, answer: messageAnswer(asked, dropped, rendered) };
}

/** Anthropic names the request in the header and in the body. */
export function refusalAnswer(asked: Asked, { status, body }: Refusal): Answer {
  const parsed = parseJson(body);
  const requestId = (isObject(parsed) ? textOf(parsed.request_id) : undefined) ?? asked.requestId;
  return jsonAnswer({ ...asked, requestId }, status, body);
}

function remember(memory: ProviderMemory, request: Json, message: Json, body: unknown): void {
  memory.issueFields(message);
  if (isObject(body) && Array.isArray(body.output)) keepResponse(request, body, memory);
}

/** With `drop_block` the reply lists what was left out (docs/wire-rules.md, "Preserved thinking"). */
function withDropped(reply: MessageReply, paths: readonly string[]): MessageReply {
  if (paths.length === 0) return reply;
  const list = paths.map((path) => ({ type: 'thinking_dropped', path, reason: 'prefix_mismatch' }));
  const envelope = { input_transformations: list, ...reply.extra?.envelope };
  return { ...reply, extra: { ...reply.extra, envelope } };
}
