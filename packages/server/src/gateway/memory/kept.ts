import {
  type Dialect,
  dialect as dialectById,
  elementTexts,
  isObject,
  type JsonObject,
  type Message,
  type RequestParts,
} from '@skein/core';
import { type KeptRefusal, type ServedHistories, serving } from '@skein/core/dialect';
import { type Forest, findReplies, type GatewayReply, readGatewayReply, replyIdKeys } from '@skein/forest';
import { exchangeOfResponse } from '../client/answer.ts';
import type { ClientCall } from '../client/client-call.ts';
import { ClientRefusal } from '../client/client-error.ts';
import { GATEWAY_ISSUER, type Restorer } from './restore.ts';

/** A request with the history that it goes on from. */
interface CompletedRequest extends RequestParts {
  /** The messages in front of those of the request, as the providers wrote them. */
  readonly before: readonly Message[];
  /** The same messages as the client got or sent them. */
  readonly beforeShown: readonly Message[];
  /** Whether the gateway holds the history: what the request names it by does not go out. */
  readonly isHeld: boolean;
  /** The exchange that it goes on from. */
  readonly continues?: string;
  /** The conversation that the request and its reply belong to from now on. */
  readonly conversation?: string;
}

/** Keeps responses for clients of APIs that do, from what is recorded of their exchanges. */
export interface Keeper {
  /**
   * Completes a request by the response, the conversation and the items that it names. With `isOwn`, what the gateway does
   * not know is left to the provider: it is the client's own vendor. Throws a `ClientRefusal` for what is not there.
   */
  complete(
    spoken: Dialect,
    parts: RequestParts,
    request: JsonObject,
    options: { readonly isOwn: boolean },
  ): Promise<CompletedRequest>;
  /**
   * The body that answers a call for what is kept: a response that the gateway gave, or a conversation. Undefined for any other
   * call. Throws a `ClientRefusal` for what is not there.
   */
  answer(call: ClientCall): Promise<string | undefined>;
}

/** A conversation up to and including a reply. */
interface HeldHistory {
  readonly messages: readonly Message[];
  /** The same messages as the client got or sent them. */
  readonly shown: readonly Message[];
  readonly system: Message | undefined;
  readonly tools: RequestParts['tools'];
  /** The request that the reply answers. */
  readonly request: JsonObject;
}

/** How many histories stay in memory. */
const HISTORIES_KEPT = 200;
/** The registers that say that a response was deleted, and that a conversation was created. */
const DELETED = 'deleted';
const CREATED = 'created';

/** The key by which the last reply of a conversation is found. */
export function conversationKey(id: string): string {
  return replyIdKeys([`conversation ${id}`])[0]!;
}

export function createKeeper(forest: Forest, restorer: Restorer): Keeper {
  const known = new Map<string, Promise<HeldHistory | undefined>>();

  const history = (exchange: string): Promise<HeldHistory | undefined> => {
    const there = known.get(exchange);
    const found = there ?? load(exchange);
    known.delete(exchange);
    known.set(exchange, found);
    if (known.size > HISTORIES_KEPT) known.delete(known.keys().next().value!);
    // What is not there yet may come.
    void found.then((one) => one ?? known.delete(exchange)).catch(() => known.delete(exchange));
    return found;
  };

  const load = async (id: string): Promise<HeldHistory | undefined> => {
    const found = await readGatewayReply(forest, id);
    if (!found?.exchange.dialect || found.reply.stop.reason === 'cut' || (await isDeleted(id))) return undefined;
    const spoken = dialectById(found.exchange.dialect);
    const parts = spoken.readRequest(found.request, { issuer: GATEWAY_ISSUER });
    const request = asObject(found.request);
    const { continues } = found.exchange.upstream ?? {};
    const earlier = continues === undefined ? undefined : await history(continues);
    const before = earlier?.messages ?? [];
    const items = await resolveItems(parts.messages, spoken, true);
    const { messages, given } = await restorer.restore(items, spoken, { scope: '', before, tools: parts.tools });
    return {
      ...{ ...withKept(spoken, parts, earlier), request },
      messages: [...before, ...messages, found.reply.message],
      shown: [...(earlier?.shown ?? []), ...given, found.delivered()],
    };
  };

  const isSet = async (key: string, name: string): Promise<boolean> => {
    const { items } = await forest.store.refs({ on: 'forest', keys: [key], names: [name] });
    return items[0]?.value === true;
  };
  const isDeleted = (exchange: string) => isSet(exchange, DELETED);

  const findExchange = async (id: string, key?: string): Promise<string | undefined> => {
    const own = key === undefined ? exchangeOfResponse(id) : undefined;
    if (own !== undefined) return own;
    const [wanted] = key === undefined ? replyIdKeys([id]) : [key];
    return (await findReplies(forest, [wanted!])).get(wanted!);
  };

  const complete: Keeper['complete'] = async (spoken, parts, request, { isOwn }) => {
    const alone: CompletedRequest = { ...parts, before: [], beforeShown: [], isHeld: false };
    const { kept } = serving(spoken);
    if (!kept?.held) return alone;
    const { held, anchors } = kept;
    const { response, conversation } = kept.previous(request);
    const messages = await resolveItems(parts.messages, spoken, isOwn);
    const [what, id] = isId(response)
      ? (['response', response] as const)
      : isId(conversation)
        ? (['conversation', conversation] as const)
        : [undefined, ''];
    if (what === undefined) {
      // A vendor that keeps threads itself decides what it takes.
      if (!isOwn) refuse(held.refuse?.(request, undefined));
      return isOwn && messages === parts.messages ? alone : { ...alone, messages, rest: without(parts.rest, anchors) };
    }
    const exchange = await findExchange(id, what === 'conversation' ? conversationKey(id) : undefined);
    const isNative = exchangeOfResponse(id) === undefined;
    if (isOwn && isNative) return { ...alone, messages };
    const earlier = exchange === undefined ? undefined : await history(exchange);
    const isEmpty = !earlier && what === 'conversation' && (await isSet(conversationKey(id), CREATED));
    if (!earlier && !isEmpty) throw toRefusal(held.missing(what, id));
    refuse(held.refuse?.(request, earlier?.request));
    return {
      ...parts,
      ...withKept(spoken, parts, earlier),
      messages,
      rest: without(parts.rest, anchors),
      before: earlier?.messages ?? [],
      beforeShown: earlier?.shown ?? [],
      isHeld: true,
      ...(earlier && { continues: exchange! }),
      ...(what === 'conversation' && { conversation: id }),
    };
  };

  /** Messages with the items in place of what refers to them; those of one reply that stand side by side are one message. */
  const resolveItems = async (
    messages: readonly Message[],
    spoken: Dialect,
    isOwn: boolean,
  ): Promise<readonly Message[]> => {
    const ids = messages.map((message) => referredItem(message, spoken));
    if (ids.every((id) => id === undefined)) return messages;
    const resolved: Message[] = [];
    for (let at = 0; at < messages.length; at++) {
      const id = ids[at];
      const exchange = id === undefined ? undefined : await findExchange(id);
      const reply = exchange === undefined ? undefined : await restorer.reply(exchange);
      const items = reply ? readItems(reply.delivered()) : new Map<string, string>();
      if (id === undefined || !items.has(id)) {
        if (id !== undefined && !isOwn) throw toRefusal(serving(spoken).kept!.held!.missing('item', id));
        resolved.push(messages[at]!);
        continue;
      }
      const texts = [items.get(id)!];
      while (ids[at + 1] !== undefined && items.has(ids[at + 1]!)) texts.push(items.get(ids[++at]!)!);
      resolved.push(spoken.parseMessage(`[${texts.join(',')}]`, { issuer: GATEWAY_ISSUER }));
    }
    return resolved;
  };

  const findResponse = async ({ responseId = '' }: ClientCall): Promise<GatewayReply | undefined> => {
    const exchange = exchangeOfResponse(responseId);
    if (exchange === undefined || (await isDeleted(exchange))) return undefined;
    return readGatewayReply(forest, exchange);
  };

  const writeResponse = ({ server, responseId = '' }: ClientCall, found: GatewayReply): string | undefined => {
    // A response that was streamed is written as a whole.
    if (/^\s*\{/.test(found.response)) return found.response;
    const request = asObject(found.request);
    const model = typeof request.model === 'string' ? request.model : '';
    const created = Math.floor(found.exchange.start / 1000);
    return server.writeReply?.({ id: responseId, model, created, request, ...found.reply }).body;
  };

  const setRegister = async (key: string, name: string): Promise<void> => {
    await forest.store.append([{ k: 'ref', on: 'forest', key, name, value: true, clock: forest.clock.tick() }]);
  };

  const createConversation = async ({ request = {}, server }: ClientCall): Promise<string | undefined> => {
    const text = Buffer.from(forest.clock.tick()).toString('hex');
    const made = server.kept?.held?.createConversation?.(request, { text, created: Math.floor(Date.now() / 1000) });
    if (!made) return undefined;
    if ('refusal' in made) throw toRefusal(made.refusal);
    await setRegister(conversationKey(made.id), CREATED);
    return JSON.stringify(made.body);
  };

  return {
    complete,
    async answer(call) {
      const { operation, responseId = '', server, query } = call;
      if (operation === 'create-conversation') return createConversation(call);
      if (exchangeOfResponse(responseId) === undefined) return undefined;
      const found = await findResponse(call);
      if (!found)
        throw new ClientRefusal(`Response with id '${responseId}' not found.`, { status: 404, word: 'not_found' });
      const { held } = server.kept ?? {};
      if (operation === 'get') return writeResponse(call, found);
      if (operation === 'cancel') refuse(held?.cancelled?.(responseId));
      const answer =
        operation === 'delete'
          ? held?.deleted?.(responseId)
          : held?.inputItems?.(asObject(found.request), responseId, new URLSearchParams(query));
      if (operation === 'delete') {
        await setRegister(found.exchange.id, DELETED);
        known.delete(found.exchange.id);
      }
      return answer && JSON.stringify(answer);
    },
  };
}

/** System text and tools of a request, or those that the API keeps for it. */
function withKept(
  spoken: Dialect,
  { system, tools }: RequestParts,
  earlier: HeldHistory | undefined,
): Pick<HeldHistory, 'system' | 'tools'> {
  const { keeps = [] } = serving(spoken).kept ?? {};
  return {
    system: system ?? (keeps.includes('system') ? earlier?.system : undefined),
    tools: tools.length === 0 && keeps.includes('tools') ? (earlier?.tools ?? []) : tools,
  };
}

function referredItem({ role, raw }: Message, spoken: Dialect): string | undefined {
  if (role !== 'other') return undefined;
  const id = serving(spoken).kept?.refersTo(asObject(raw));
  return isId(id) ? id : undefined;
}

/** The items of a reply by their ids. */
function readItems({ raw }: Message): Map<string, string> {
  const items = raw.startsWith('[') ? elementTexts(raw) : [];
  return new Map(items.map((text) => [String(asObject(text).id), text]));
}

function without(rest: RequestParts['rest'], names: readonly string[]): RequestParts['rest'] {
  return Object.fromEntries(Object.entries(rest).filter(([name]) => !names.includes(name)));
}

function refuse(refusal: ReturnType<NonNullable<ServedHistories['refuse']>>): void {
  if (refusal) throw toRefusal(refusal);
}

function toRefusal({ status, word, message, param }: KeptRefusal): ClientRefusal {
  return new ClientRefusal(message, { status, word, ...(param !== undefined && { param }) });
}

function isId(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

function asObject(text: string): JsonObject {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}
