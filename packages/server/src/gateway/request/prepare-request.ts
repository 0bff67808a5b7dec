import { type ContentBlock, type Dialect, dialect as dialectById, find, type Message, splice, user } from '@skein/core';
import { serving } from '@skein/core/dialect';
import { type Forest, readGatewayReply } from '@skein/forest';
import type { ClientCall, Target } from '../client/client-call.ts';
import { conversationKey, type Keeper } from '../memory/kept.ts';
import { hasReference } from '../memory/references.ts';
import { GATEWAY_ISSUER, type Restorer } from '../memory/restore.ts';
import { expandSummaries } from '../operations.ts';
import { dropVendorTexts, keepTools, placeCacheMarks } from './cache-marks.ts';
import { type AdaptedTools, adaptTools } from './client-tools.ts';
import type { OutgoingRequest } from './exchange.ts';
import { type AdaptedRequest, adaptParams } from './params.ts';

/** What the gateway finds earlier requests and replies with. */
export interface RequestMemory {
  readonly restorer: Restorer;
  readonly keeper: Keeper;
  readonly lastRequests: LastRequests;
}

/** Frozen, each only once: a dialect keeps what it makes of an origin that never changes. */
const origins = new Map<string, { readonly issuer: string }>();

function originOf(issuer: string): { readonly issuer: string } {
  const known = origins.get(issuer) ?? Object.freeze({ issuer });
  origins.set(issuer, known);
  return known;
}

/** What a client's request means at a target. */
export async function prepareRequest(
  given: ClientCall,
  target: Target,
  dialect: Dialect,
  { restorer, keeper, lastRequests }: RequestMemory,
  scope: string,
): Promise<OutgoingRequest> {
  const body = expandSummaries(given);
  const call = body === given.body ? given : { ...given, body };
  const isSame = call.dialect.id === dialect.id;
  const origin = originOf(isSame ? target.provider.issuer : GATEWAY_ISSUER);
  const parts = call.dialect.readRequest(call.body ?? '', origin);
  const isVendor = isSame && call.dialect.home.issuer === target.provider.issuer;
  const completed = await keeper.complete(call.dialect, parts, call.request ?? {}, { isOwn: isVendor });
  const { system, tools, params, rest, before, beforeShown, isHeld, conversation, continues } = completed;
  const messages = isSame ? completed.messages : completed.messages.map(withoutTwins);
  const restored = await restorer.restore(messages, call.dialect, { scope, before, tools });
  const { stream: _, ...extra } = rest;
  // A client that speaks the target's protocol may send the target's own replies as it likes.
  const isOwn = ({ origin: from }: Message) => isSame && from.dialect === dialect.id && from.issuer === origin.issuer;
  const sent = restored.messages.map((message, at) => (isOwn(message) ? restored.given[at]! : message));
  const isRelayed =
    isSame && !isHeld && sent.every((message, at) => message === parts.messages[at] && !hasReference(message.raw));
  const request = {
    ...(isRelayed && { relayed: withTargetModel(call, target.model) }),
    ...(isSame && { isSameProtocol: true, headers: vendorHeaders(call) }),
    system: system ? [system] : [],
    tools,
    params,
    extra,
    messages: [...before, ...sent],
    given: [...beforeShown, ...restored.given],
    renamed: restored.renamed,
    readWords: restored.readWords,
    losses: restored.losses,
    ...(continues !== undefined && { continues }),
    ...(conversation !== undefined && { replyKeys: [conversationKey(conversation)] }),
  };
  const last = isSame || tools.length === 0 ? undefined : (restored.last ?? continues);
  const lastTools = last === undefined ? undefined : await lastRequests.find(last);
  return adaptRequest(request, call, target, dialect, lastTools);
}

/** The message without results that it has twice: Gemini CLI repeats those of a session that it resumes. */
function withoutTwins(message: Message, at: number, messages: readonly Message[]): Message {
  const { toolResults, content } = message;
  if (new Set(toolResults.map(({ toolCallId }) => toolCallId)).size === toolResults.length) return message;
  const called = messages.slice(0, at).flatMap(({ facts }) => facts.calls.map(({ id }) => id));
  const isTwin = (block: ContentBlock, index: number) =>
    block.type === 'tool-result' &&
    called.filter((id) => id === block.toolCallId).length === 1 &&
    content.slice(0, index).some((earlier) => JSON.stringify(earlier) === JSON.stringify(block));
  return user(content.filter((block, index) => !isTwin(block, index)));
}

/** The client's own text, with the name that the provider has for the model. */
function withTargetModel({ body = '' }: ClientCall, model: string): string {
  const range = find(body, ['model']);
  return range ? splice(body, [{ ...range, text: JSON.stringify(model) }]) : body;
}

/** The headers that belong to the vendor's API, such as those that turn on new features. */
function vendorHeaders({ headers, api }: ClientCall): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [name, value] of headers) if (name.startsWith(`${api.vendor}-`)) kept[name] = value;
  return kept;
}

/** A client's request in the words of a target, and what its answer needs to be told in the client's. */
export type RequestForTarget = AdaptedRequest & Pick<AdaptedTools, 'served'>;

/**
 * Says a client's request in the words of a target. `last` are the tools of the
 * thread's last request, as its client sent them. Throws a
 * `ClientRefusal` for what can neither be said nor be done by the gateway.
 */
export function adaptRequest(
  given: OutgoingRequest,
  call: Pick<ClientCall, 'dialect' | 'server'>,
  target: Target,
  dialect: Dialect,
  last?: OutgoingRequest['tools'],
): RequestForTarget {
  if (given.relayed !== undefined) return { ...given, copies: 1, stops: [], served: new Map() };
  const upstream = { dialect, server: serving(dialect) };
  const isSame = call.dialect.id === dialect.id;
  const tools = isSame ? given.tools : keepTools(given.tools, last);
  const { request, served } = adaptTools(dropVendorTexts({ ...given, tools }, call, target), call, target, upstream);
  const { copies, stops, ...adapted } = adaptParams(request, call, target, upstream);
  const paramNames = call.server.meaning?.params ?? {};
  return { ...placeCacheMarks(adapted, target, upstream), copies, stops, served, offered: tools, paramNames };
}

/** Finds what the last request of a thread offered, by the exchange that the next one goes on from. */
interface LastRequests {
  /** The tools of the request that an exchange answered, in the client's words. */
  find(exchange: string): Promise<OutgoingRequest['tools'] | undefined>;
  keep(exchange: string, tools: OutgoingRequest['tools']): void;
}

/** How many lists of tools stay in memory. Those of other servers and of before a restart are read from the recording. */
const KEPT = 200;

export function createLastRequests(forest: Forest): LastRequests {
  const known = new Map<string, OutgoingRequest['tools']>();
  const keep: LastRequests['keep'] = (exchange, tools) => {
    known.delete(exchange);
    known.set(exchange, tools);
    if (known.size > KEPT) known.delete(known.keys().next().value!);
  };
  return {
    keep,
    async find(exchange) {
      const there = known.get(exchange);
      if (there) return there;
      const found = await readGatewayReply(forest, exchange);
      if (!found?.exchange.dialect) return undefined;
      const { tools } = dialectById(found.exchange.dialect).readRequest(found.request);
      keep(exchange, tools);
      return tools;
    },
  };
}
