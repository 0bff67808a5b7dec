import { type Dialect, find, type Message, splice } from '@skein/core';
import { adaptRequest } from './adapt-request.ts';
import type { ClientCall, Target } from './client-call.ts';
import { expandSummaries } from './compact.ts';
import type { OutgoingRequest } from './exchange.ts';
import { conversationKey, type Keeper } from './kept.ts';
import type { LastRequests } from './last-requests.ts';
import { hasReference } from './references.ts';
import { GATEWAY_ISSUER, type Restorer } from './restore.ts';

/** What the gateway finds earlier requests and replies with. */
export interface RequestMemory {
  readonly restorer: Restorer;
  readonly keeper: Keeper;
  readonly lastRequests: LastRequests;
}

/** What a client's request means at a target. */
export async function prepareRequest(
  given: ClientCall,
  target: Target,
  dialect: Dialect,
  { restorer, keeper, lastRequests }: RequestMemory,
  scope: string,
): Promise<OutgoingRequest> {
  const call = { ...given, body: expandSummaries(given) };
  const isSame = call.dialect.id === dialect.id;
  const origin = { issuer: isSame ? target.provider.issuer : GATEWAY_ISSUER };
  const parts = call.dialect.readRequest(call.body ?? '', origin);
  const isVendor = isSame && call.dialect.home.issuer === target.provider.issuer;
  const completed = await keeper.complete(call.dialect, parts, call.request ?? {}, { isOwn: isVendor });
  const { system, tools, messages, params, rest, before, beforeShown, isHeld, conversation, continues } = completed;
  const restored = await restorer.restore(messages, call.dialect, scope, before);
  const { stream: _, ...extra } = rest;
  // A client that speaks the target's protocol may send the target's own replies as it likes.
  const isOwn = ({ origin: from }: Message) => isSame && from.dialect === dialect.id && from.issuer === origin.issuer;
  const sent = restored.messages.map((message, at) => (isOwn(message) ? messages[at]! : message));
  const isRelayed =
    isSame && !isHeld && sent.every((message, at) => message === parts.messages[at] && !hasReference(message.raw));
  const request = {
    ...(isRelayed && { relayed: withTargetModel(call, target.model) }),
    ...(isSame && { isSameProtocol: true, headers: vendorHeaders(call) }),
    ...{ system: system ? [system] : [], tools, params, extra },
    ...{ messages: [...before, ...sent], given: [...beforeShown, ...messages] },
    ...{ renamed: restored.renamed, wordsKey: restored.wordsKey, losses: restored.losses },
    ...(continues !== undefined && { continues }),
    ...(conversation !== undefined && { replyKeys: [conversationKey(conversation)] }),
  };
  const last = isSame || tools.length === 0 ? undefined : (restored.last ?? continues);
  const lastTools = last === undefined ? undefined : await lastRequests.find(last);
  return adaptRequest(request, call, target, dialect, lastTools);
}

/** The client's own text, with the name that the provider has for the model. */
function withTargetModel({ body = '' }: ClientCall, model: string): string {
  const range = find(body, ['model']);
  return range ? splice(body, [{ ...range, text: JSON.stringify(model) }]) : body;
}

/** The headers that belong to the vendor's API, such as those that turn on new features. */
function vendorHeaders({ headers, api }: ClientCall): Record<string, string> {
  return Object.fromEntries([...headers].filter(([name]) => name.startsWith(`${api.vendor}-`)));
}
