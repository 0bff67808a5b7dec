/** A generation: judges the request, takes the reply from the script or the brain, renders it and remembers it. */

import { requestViews } from '../brain.ts';
import { asText, isObject, type Json, objects, parseJson, plain } from '../json.ts';
import type { ProviderMemory } from '../memory.ts';
import type { Protocol } from '../protocol.ts';
import { renderAnthropicMessages } from '../render/anthropic-messages.ts';
import { renderBedrockConverse } from '../render/bedrock-converse.ts';
import { renderCohereChat } from '../render/cohere-chat.ts';
import { renderGoogleGenerateContent } from '../render/google-generatecontent.ts';
import { renderGoogleInteractions } from '../render/google-interactions.ts';
import { renderOpenAIChat } from '../render/openai-chat.ts';
import { renderOpenAIResponses } from '../render/openai-responses.ts';
import { createMint, type Renderer } from '../render/renderer.ts';
import type { MessageReply, ScriptedReply } from '../reply.ts';
import { judgeAnthropicMessages } from '../rules/anthropic-messages/judge.ts';
import { summarise } from '../rules/anthropic-messages/rules-beta.ts';
import { thinkingMismatches } from '../rules/anthropic-messages/rules-thinking.ts';
import { judgeBedrockConverse } from '../rules/bedrock-converse/judge.ts';
import { judgeCohereChat } from '../rules/cohere-chat/judge.ts';
import { judgeGoogleGenerateContent } from '../rules/google-generatecontent/judge.ts';
import { judgeGoogleInteractions } from '../rules/google-interactions/judge.ts';
import { createOpenAIChatJudge } from '../rules/openai-chat/judge.ts';
import { createOpenAIResponsesJudge } from '../rules/openai-responses/judge.ts';
import type { Judge, JudgedRequest, Refusal, Verdict } from '../rules/verdict.ts';
import { checkKey, checkModel, type Denial, readKey } from './access.ts';
import {
  type Answer,
  type AnswerContext,
  cloudErrorBody,
  errorAnswer,
  jsonAnswer,
  messageAnswer,
  rawAnswer,
  scriptedError,
} from './answer.ts';
import { checkSignature, isSigned, type SignedRequest } from './aws.ts';
import type { Route } from './route.ts';
import type { EmulatorSettings, EmulatorState, Issuer, ServedResponse } from './state.ts';
import { expire, showInteraction, withStoredSteps } from './stored-interactions.ts';
import { openThread } from './threads.ts';

type GenerateRoute = Extract<Route, { kind: 'generate' }>;

export interface Outcome {
  readonly verdict: Verdict;
  readonly answer: Answer;
  /** Called when the answer has been sent, as far as it was. */
  readonly sent?: (ended: ServedResponse['ended']) => void;
}

/** Refuses a request by a rule that no judge has; the log names that rule as it does the others. */
export function deny(context: AnswerContext, { id, error }: Denial): Outcome {
  const body = JSON.stringify(cloudErrorBody(context, error));
  const refusal = { rule: `${context.protocol}.${id}`, status: error.status, message: error.message, body };
  return { verdict: { refusal, warnings: [] }, answer: errorAnswer(context, error) };
}

export interface ReceivedRequest extends SignedRequest {
  readonly text: string;
  readonly context: AnswerContext;
  /** The request only prepares the next one: the response has no output. */
  readonly isWarmup?: boolean;
  /** For connections that keep the latest responses in memory: called with the id of one that is not stored. */
  readonly onKept?: (id: string) => void;
}

/** AWS takes a signature in place of a key. */
function checkAccess(state: EmulatorState, { protocol, cloud }: GenerateRoute, received: ReceivedRequest) {
  const { key, aws } = state.configuration;
  if (cloud !== 'aws' || !isSigned(received.headers)) return checkKey(protocol, received.headers, key, cloud);
  const message = checkSignature(received, aws);
  return message === undefined ? undefined : { id: 'auth', error: { status: 403, message } };
}

export async function generate(
  state: EmulatorState,
  route: GenerateRoute,
  received: ReceivedRequest,
): Promise<Outcome> {
  const { text, headers } = received;
  const { protocol, issuer } = route;
  const denial = checkAccess(state, route, received);
  if (denial) return deny(received.context, denial);
  const parsed = parseJson(text);
  const body = isObject(parsed) ? parsed : {};
  const model = route.model ?? asText(body.model) ?? asText(body.agent) ?? '';
  const isNamed = protocol !== 'google-generatecontent' && route.cloud !== 'aws' && body.stream === true;
  const stream = route.stream ?? (isNamed ? 'sse' : undefined);
  const context: AnswerContext = { ...received.context, stream };
  const missing = checkModel(protocol, model);
  if (missing) return deny(context, missing);

  const memory = state.memory(protocol, issuer);
  expire(state, memory, asText(body.previous_interaction_id));
  const key = readKey[protocol](headers);
  const turn =
    protocol === 'anthropic-messages'
      ? openThread(memory.threads, { body, headers, key, now: context.now })
      : undefined;
  if (turn && 'error' in turn) return deny(context, turn);
  const asked = { body: turn?.body ?? body, text: turn ? JSON.stringify(turn.body) : text };
  const outcome = await reply(state, route, { ...received, ...asked, context, model, stream: stream !== undefined });
  const { message, ...rest } = outcome;
  if (!turn) return rest;
  if (!message) turn.end('failed');
  return message ? { ...rest, sent: (ended) => turn.end(ended === 'complete' ? message : 'broken') } : rest;
}

interface AskedModel extends ReceivedRequest {
  readonly body: Json;
  readonly model: string;
  readonly stream: boolean;
}

/** Judges a complete request and answers it; `message` is the response, if there is one. */
async function reply(
  state: EmulatorState,
  { protocol, issuer, model: named }: GenerateRoute,
  { text, headers, context, body, model, stream, isWarmup = false, onKept }: AskedModel,
): Promise<Outcome & { readonly message?: Json }> {
  const memory = state.memory(protocol, issuer);
  const request: JudgedRequest = {
    body: text,
    headers,
    memory,
    settings: state.settings,
    ...(named !== undefined && { model: named }),
  };
  const verdict = judgeFor(protocol, state.settings, state.configuration.issuers[issuer])(request);
  if (verdict.refusal) return { verdict, answer: refusalAnswer(context, verdict.refusal) };

  const attempt = state.attempt(protocol, issuer, text);
  const mint = createMint(state.seedFor(text, attempt), memory.sealer);
  const full = withKept(protocol, body, memory);
  const scripted: ScriptedReply =
    (isWarmup || isPrewarm(protocol, body) ? { blocks: [] } : undefined) ??
    state.next(protocol, issuer) ??
    summaryReply(protocol, body, (told) => mint.seal({ text: told })) ??
    compactionReply(protocol, body, mint, model) ??
    (await state.configuration.brain({
      protocol,
      issuer,
      model,
      stream,
      attempt,
      body,
      ...requestViews[protocol](full),
    }));
  if ('raw' in scripted) return { verdict, answer: rawAnswer(scripted) };
  if ('error' in scripted) return { verdict, answer: scriptedError(context, scripted) };
  const dropped = protocol === 'anthropic-messages' ? withDropped(scripted, thinkingMismatches(request)) : scripted;
  const rendered = renderers[protocol](dropped, {
    request: body,
    text,
    model,
    mint,
    created: Math.floor(context.now / 1000),
    refuseOwnFields: state.settings.refuseOwnFields ?? false,
  });
  const message = plain(rendered.body);
  remember(memory, body, rendered.message, message, onKept);
  const shown = protocol === 'google-interactions' ? showInteraction(body, rendered, memory, context) : rendered;
  return { verdict, answer: messageAnswer(context, dropped, shown), ...(isObject(message) && { message }) };
}

/** OpenAI prepares its cache and generates nothing. */
function isPrewarm(protocol: Protocol, { prompt_cache_options: options }: Json): boolean {
  return protocol === 'openai-responses' && isObject(options) && options.prewarm === true;
}

/** Anthropic answers a request for a summary with nothing else. */
function summaryReply(protocol: Protocol, body: Json, seal: (text: string) => string): MessageReply | undefined {
  if (protocol !== 'anthropic-messages' || !isObject(body.compaction)) return undefined;
  return { blocks: [{ type: 'native', value: summarise(body, seal) }], nativeStop: 'compaction' };
}

/** OpenAI answers a request that ends with a trigger with one sealed item, which goes back in place of what is before it. */
function compactionReply(
  protocol: Protocol,
  { input }: Json,
  mint: ReturnType<typeof createMint>,
  model: string,
): MessageReply | undefined {
  const last = Array.isArray(input) ? input.at(-1) : undefined;
  if (protocol !== 'openai-responses' || !isObject(last) || last.type !== 'compaction_trigger') return undefined;
  const item = { type: 'compaction', id: mint.id('cmp_', 48), encrypted_content: mint.seal({ model }) };
  return { blocks: [{ type: 'native', value: item }] };
}

/** Anthropic repeats the request id in the body, so header and body must agree. */
export function refusalAnswer(context: AnswerContext, { status, message, body }: Refusal): Answer {
  if (context.cloud === 'aws') return jsonAnswer(context, status, JSON.stringify({ message }));
  const parsed = parseJson(body);
  const requestId = (isObject(parsed) ? asText(parsed.request_id) : undefined) ?? context.requestId;
  return jsonAnswer({ ...context, requestId }, status, body);
}

function remember(
  memory: ProviderMemory,
  request: Json,
  message: Json,
  body: unknown,
  onKept: ReceivedRequest['onKept'],
): void {
  memory.issueFields(message);
  if (isObject(body) && Array.isArray(body.output)) keepResponse(request, body, memory, onKept);
}

/** With `drop_block` the reply lists the blocks that were left out (docs/wire-rules.md, "Preserved thinking"). */
function withDropped(reply: MessageReply, paths: readonly string[]): MessageReply {
  if (paths.length === 0) return reply;
  const list = paths.map((path) => ({ type: 'thinking_dropped', path, reason: 'prefix_mismatch' }));
  const envelope = { input_transformations: list, ...reply.extra?.envelope };
  return { ...reply, extra: { ...reply.extra, envelope } };
}

export function judgeFor(protocol: Protocol, settings: EmulatorSettings, issuer: Issuer = {}): Judge {
  switch (protocol) {
    case 'anthropic-messages':
      return judgeAnthropicMessages;
    case 'google-generatecontent':
      return judgeGoogleGenerateContent;
    case 'google-interactions':
      return judgeGoogleInteractions;
    case 'openai-chat': {
      const strict = issuer.refuseUnknownMessageFields ?? settings.refuseUnknownMessageFields ?? false;
      return createOpenAIChatJudge({ ...issuer, refuseUnknownMessageFields: strict });
    }
    case 'openai-responses':
      return createOpenAIResponsesJudge(issuer);
    case 'bedrock-converse':
      return judgeBedrockConverse;
    case 'cohere-chat':
      return judgeCohereChat;
  }
}

const renderers: Readonly<Record<Protocol, Renderer>> = {
  'anthropic-messages': renderAnthropicMessages,
  'openai-chat': renderOpenAIChat,
  'openai-responses': renderOpenAIResponses,
  'google-generatecontent': renderGoogleGenerateContent,
  'bedrock-converse': renderBedrockConverse,
  'cohere-chat': renderCohereChat,
  'google-interactions': renderGoogleInteractions,
};

/** A request with the history that the API keeps for it. */
function withKept(protocol: Protocol, body: Json, memory: ProviderMemory): Json {
  if (protocol === 'google-interactions') return withStoredSteps(body, memory);
  return protocol === 'openai-responses' ? withStoredItems(body, memory) : body;
}

/** The `input` of a Responses request as a list of items. */
export const inputItems = (input: unknown): readonly Json[] =>
  typeof input === 'string' ? [{ type: 'message', role: 'user', content: input }] : objects(input);

const readConversationId = ({ conversation }: Json): string | undefined =>
  isObject(conversation) ? asText(conversation.id) : asText(conversation);

/** A Responses request with the items of the stored response or conversation that it continues. */
function withStoredItems(body: Json, memory: ProviderMemory): Json {
  const id = asText(body.previous_response_id) ?? readConversationId(body);
  const before = id === undefined ? [] : (memory.kept(id)?.items ?? []);
  return { ...body, input: [...before, ...inputItems(body.input)] };
}

/** Stores a response, which is the default, and adds it to its conversation. */
function keepResponse(body: Json, response: Json, memory: ProviderMemory, onKept: ReceivedRequest['onKept']): void {
  const output = objects(response.output);
  memory.issueItems(output);
  const items = [...objects(withStoredItems(body, memory).input), ...output];
  const input = inputItems(body.input);
  if (body.store !== false || onKept) memory.keep(`${response.id}`, { response, items, input });
  if (body.store === false) onKept?.(`${response.id}`);
  const conversation = readConversationId(body);
  const kept = conversation === undefined ? undefined : memory.kept(conversation);
  if (conversation !== undefined && kept) memory.keep(conversation, { ...kept, items });
}
