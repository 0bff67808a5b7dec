import { type Dialect, dialect, type Message, type Origin, type Reply } from '@skein/core';
import { readRefs } from '../forest/index.ts';
import { findFraming } from '../model/dialects.ts';
import { ECHO_START, type Echo, extendEcho } from '../model/echo.ts';
import { sha256 } from '../model/ids.ts';
import type { RefRecord } from '../model/records.ts';
import { type Exchange, readExchangeRecord, readTexts } from './exchange.ts';
import { readIssuedIds } from './projection/evidence.ts';
import { readReply } from './read-exchange.ts';
import type { RecordingForest } from './recorder.ts';

/** The name of the register that leads from a key to the exchange whose reply it finds. */
const REPLY_REF = 'reply';

export function replyRef(key: string, exchange: string, clock: string): RefRecord {
  return { k: 'ref', on: 'forest', key, name: REPLY_REF, value: exchange, clock };
}

/**
 * The keys by which a reply is recognised when a client sends it back: the ids and signatures in it.
 *
 * @example
 * const keys = replyIdKeys(['call_1a2b3c4d']);
 */
export function replyIdKeys(ids: Iterable<string>): string[] {
  return [...new Set(ids)].map((id) => `reply ${sha256(id).slice(0, 32)}`);
}

/**
 * The ids and signatures that a provider or a gateway issued in a message.
 *
 * @example
 * const keys = replyIdKeys(issuedIds(message));
 */
export function issuedIds(message: Message): readonly string[] {
  return readIssuedIds(message);
}

/** Follows the words of a history, message by message. */
export interface WordChain {
  /** The key of the words up to and including this message; undefined for one that says nothing. */
  add(message: Message): string | undefined;
  /** The key that `add` would return, without adding the message. */
  peek(message: Message): string | undefined;
}

/**
 * Follows the visible words of a history, so that a reply without ids is recognised by the words up to it. `scope`
 * separates histories that do not belong together although their words are the same.
 *
 * @example
 * const chain = createWordChain('');
 * const keys = messages.map((message) => chain.add(message));
 */
export function createWordChain(scope: string): WordChain {
  let echo: Echo = ECHO_START;
  const keyFor = (next: Echo) =>
    next.text === echo.text ? undefined : `words ${sha256(`${scope}\n${next.text}`).slice(0, 32)}`;
  return {
    add(message) {
      const next = extendEcho(echo, message);
      const key = keyFor(next);
      echo = next;
      return key;
    },
    peek: (message) => keyFor(extendEcho(echo, message)),
  };
}

/**
 * Whether two messages show the same words, calls and media, as clients send them back: without reasoning, and whatever the
 * spelling of JSON.
 *
 * @example
 * if (!showsTheSame(original, sent)) console.log('The client edited the reply.');
 */
export function showsTheSame(a: Message, b: Message): boolean {
  const start: Echo = { ...ECHO_START, leading: false };
  return extendEcho(start, a).text === extendEcho(start, b).text;
}

/**
 * The message in what a gateway sent to a client, whole or as a stream.
 *
 * @example
 * const message = readDelivered(openaiChat, text);
 */
export function readDelivered(spoken: Dialect, text: string): Message {
  return readReply(spoken, findFraming(spoken, undefined), text, {}).message;
}

/** A reply that a gateway delivered. */
export interface GatewayReply {
  readonly exchange: Exchange;
  /** The provider's own reply, with the origin under which it was given. */
  readonly reply: Reply;
  /** The same reply as the client got it. */
  delivered(): Message;
  /** The bodies of the client's request and of the response that it got. */
  readonly request: string;
  readonly response: string;
}

/**
 * The exchanges whose replies have these keys.
 *
 * @example
 * const exchanges = await findReplies(forest, keys);
 */
export async function findReplies(
  forest: RecordingForest,
  keys: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (keys.length === 0) return new Map();
  const refs = await readRefs(forest, 'forest', [...keys], [REPLY_REF]);
  return new Map(refs.flatMap(({ key, value }) => (typeof value === 'string' ? [[key, value] as const] : [])));
}

/**
 * Reads the reply of an exchange that a gateway translated; undefined if there is no such exchange, or it got none.
 *
 * @example
 * const found = await readGatewayReply(forest, exchange);
 */
export async function readGatewayReply({ store }: RecordingForest, id: string): Promise<GatewayReply | undefined> {
  const entry = await store.entry('exchange', id);
  const exchange = entry && readExchangeRecord(entry);
  if (!exchange?.upstream) return undefined;
  const { request, response: sent, upstream: texts } = await readTexts(store, exchange);
  if (!texts || texts.response.length === 0) return undefined;
  const { provider, issuer, model, prefix } = exchange.upstream;
  const asked = dialect(exchange.upstream.dialect);
  const origin: Partial<Origin> = { issuer, model, ...(prefix !== undefined && { prefix }) };
  try {
    const reply = readReply(asked, findFraming(asked, provider), texts.response, origin);
    const spoken = dialect(exchange.dialect ?? '');
    const response = Buffer.from(sent).toString();
    return { exchange, reply, request, response, delivered: () => readDelivered(spoken, response) };
  } catch {
    return undefined;
  }
}
