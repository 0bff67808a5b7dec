import { isUtf8 } from 'node:buffer';
import {
  type Dialect,
  dialect,
  elementTexts,
  findMembers,
  isJson,
  isObject,
  type JsonObject,
  type Message,
  type Origin,
  type Reply,
  type RequestParams,
  type RequestParts,
  type Stop,
  sse,
  type ToolDefinition,
  type Usage,
} from '@skein/core';
import { type Framing, type KeptHistories, readSse, serving } from '@skein/core/dialect';
import { findFraming } from '../model/dialects.ts';
import { hasMessage } from '../model/records.ts';
import { decodeUtf8, textPieces } from '../model/utf8.ts';
import type { Exchange, ExchangeTexts } from './exchange.ts';
import { type Hints, hintsKey } from './hints.ts';

/** What the bytes of an exchange mean, before it is placed in the tree. */
export type ExchangeContent = Turn | Poll | NoContent;

/** A request with its history, and the model's answer to it. */
export interface Turn {
  readonly kind: 'turn';
  readonly exchange: Exchange;
  readonly system: Message | undefined;
  readonly messages: readonly Message[];
  readonly params: RequestParams;
  readonly model: string | undefined;
  /** The response that it continues, if the API keeps the history. */
  readonly previous: string | undefined;
  readonly conversation: string | undefined;
  /** The last response of the conversation, if the request names it and brings its own history. */
  readonly last: string | undefined;
  /** What the API keeps for a request that continues a response. */
  readonly keeps: NonNullable<KeptHistories['keeps']>;
  readonly answer: Answer;
  readonly tools: readonly ToolDefinition[];
  /** The system messages at the front of the request. */
  readonly lead: readonly Message[];
  readonly hints: Hints;
  /** Equal hints have equal keys. */
  readonly hintsKey: string;
}

/** The state of a response that another exchange asked for. */
export interface Poll {
  readonly kind: 'poll';
  readonly exchange: Exchange;
  readonly responseId: string;
  readonly answer: Answer;
}

/** An exchange that adds nothing to the tree, and the reason. */
interface NoContent {
  readonly kind: 'nothing';
  readonly exchange: Exchange;
  readonly why: string;
}

/**
 * Reads what the bytes of an exchange mean. It depends on the stored bytes alone and never throws. `restored` are replies that
 * stand in place of messages of the request, by their index.
 */
export function readExchange(
  exchange: Exchange,
  texts: ExchangeTexts,
  restored: ReadonlyMap<number, Message> = new Map(),
): ExchangeContent {
  const { request } = texts;
  const { response } = texts.upstream ?? texts;
  const nothing = (why: string): NoContent => ({ kind: 'nothing', exchange, why });
  if (exchange.kind === 'other' || exchange.dialect === undefined) return nothing('no model was asked');
  if (exchange.outcome === 'refused') return nothing(`the API answered ${exchange.status}`);
  if (isBlank(response)) return nothing(exchange.error ?? 'there was no answer');
  try {
    const spoken = dialect(exchange.dialect);
    const framing = findFraming(spoken, exchange.provider);
    const origin = issuedBy(exchange.issuer ?? spoken.home.issuer);
    if (exchange.kind === 'poll') {
      const answer = readAnswer(spoken, framing, response, origin);
      return { kind: 'poll', exchange, responseId: exchange.responseId ?? answer.responseId ?? '', answer };
    }
    const { system, tools, messages: sent, params, rest, model = exchange.model } = spoken.readRequest(request, origin);
    const messages = restored.size === 0 ? sent : sent.map((message, at) => restored.get(at) ?? message);
    const answer =
      readUpstreamAnswer(exchange, response) ??
      readAnswer(spoken, framing, response, { ...origin, ...(model !== undefined && { model }) });
    const { previous, conversation, last, keeps } = readReferences(spoken, rest);
    const isKept = previous !== undefined || conversation !== undefined;
    const lead = [...(system ? [system] : []), ...(isKept ? [] : leadingSystem(messages))];
    const hints = exchange.hints ?? {};
    return {
      kind: 'turn',
      exchange,
      system,
      messages,
      params,
      model,
      previous,
      conversation,
      last,
      keeps,
      answer,
      tools,
      lead,
      hints,
      hintsKey: hintsKey(hints),
    };
  } catch (error) {
    return nothing(error instanceof Error ? error.message : String(error));
  }
}

/** One frozen object for each issuer, so that the messages of all its requests share one origin. */
function issuedBy(issuer: string): Partial<Origin> {
  const known = origins.get(issuer);
  if (known) return known;
  if (origins.size >= MOST_ORIGINS) origins.clear();
  const origin = Object.freeze({ issuer });
  origins.set(issuer, origin);
  return origin;
}

const origins = new Map<string, Partial<Origin>>();
const MOST_ORIGINS = 100;

function leadingSystem(messages: readonly Message[]): readonly Message[] {
  const end = messages.findIndex(({ role }) => role !== 'system');
  return end < 0 ? messages : messages.slice(0, end);
}

/** Which response or conversation a request continues, if the API keeps histories. */
function readReferences(
  spoken: Dialect,
  rest: RequestParts['rest'],
): Pick<Turn, 'previous' | 'conversation' | 'last' | 'keeps'> {
  const { kept } = serving(spoken);
  if (!kept) return { previous: undefined, conversation: undefined, last: undefined, keeps: [] };
  const values = Object.fromEntries(Object.entries(rest).map(([name, text]) => [name, parsed(text)]));
  const { response, conversation, last } = kept.previous(values);
  return {
    previous: toText(response),
    conversation: toText(conversation),
    last: toText(last),
    keeps: kept.keeps ?? [],
  };
}

function parsed(text: string): unknown {
  return JSON.parse(text);
}

function toText(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** The content of a response. */
export interface Answer {
  /** The reply, then its alternatives. Those that were cut before their first word are left out. */
  readonly replies: readonly { readonly message: Message; readonly stop: Stop }[];
  readonly stop: Stop;
  readonly usage: Usage | undefined;
  readonly envelope: string;
  /** The id under which the API keeps the response; later requests refer to it. */
  readonly responseId: string | undefined;
  /** The API only accepted the request; the reply comes later, in another exchange. */
  readonly pending: boolean;
}

/** The answer of the provider that a gateway asked, under the id that the client knows; undefined for other exchanges. */
function readUpstreamAnswer(
  { upstream, responseId, dialect: spoken = '' }: Exchange,
  response: string | Uint8Array,
): Answer | undefined {
  if (!upstream) return undefined;
  const { issuer, model, prefix } = upstream;
  const asked = dialect(upstream.dialect);
  const origin = { issuer, model, ...(prefix !== undefined && { prefix }) };
  const answer = readAnswer(asked, findFraming(asked, upstream.provider), response, origin);
  return { ...answer, responseId: serving(dialect(spoken)).kept && responseId };
}

/** Reads a response that is one JSON object, a stream of events, or Google's list of chunks. Throws for other texts. */
function readAnswer(
  dialect: Dialect,
  framing: Framing,
  response: string | Uint8Array,
  origin: Partial<Origin>,
): Answer {
  const reply = readReply(dialect, framing, response, origin);
  const { message, alternatives, stop, usage, envelope } = reply;
  const { kept } = serving(dialect);
  const pending = kept !== undefined && stop.reason !== 'cut' && stop.reason !== 'error' && isPending(kept, envelope);
  return {
    replies: pending ? [] : [{ message, stop }, ...alternatives].filter(hasMessage),
    stop,
    usage,
    envelope,
    responseId: kept && readResponseId(dialect, envelope),
    pending,
  };
}

/** Bytes that are no text are read as they are where the framing is binary; elsewhere they are text that was damaged. */
export function readReply(
  dialect: Dialect,
  framing: Framing,
  response: string | Uint8Array,
  origin: Partial<Origin>,
): Reply {
  const isText = typeof response === 'string' || isUtf8(response);
  if (typeof response !== 'string' && isText && framing === sse && beginsWithName(response)) {
    const reader = dialect.readStream(origin);
    const decoder = readSse(reader);
    for (const piece of textPieces(response, READ_AT_ONCE)) decoder.push(piece);
    decoder.end();
    return reader.finish();
  }
  const text = isText ? asText(response) : framing.isBinary ? '' : Buffer.from(response).toString('utf8');
  // Some framings have events that begin as an object does.
  if (/^\s*\{/.test(text) && (framing === sse || isJson(text))) return dialect.readResponse(text, origin);
  const reader = dialect.readStream(origin);
  if (/^\s*\[/.test(text)) for (const chunk of elementTexts(text)) reader.push(undefined, chunk);
  else {
    const decoder = framing === sse ? readSse(reader) : framing.split((event, data) => void reader.push(event, data));
    decoder.push(framing.isBinary ? Buffer.from(response) : text);
    decoder.end();
  }
  return reader.finish();
}

/** How many bytes of a stream are decoded at once. */
const READ_AT_ONCE = 2 ** 18;

/** Whether the first byte is a letter, as in a stream of events, whose lines have names. */
function beginsWithName([first = 0]: Uint8Array): boolean {
  return (first | 0x20) >= 0x61 && (first | 0x20) <= 0x7a;
}

function asText(response: string | Uint8Array): string {
  return typeof response === 'string' ? response : decodeUtf8(response);
}

function isBlank(response: string | Uint8Array): boolean {
  if (typeof response === 'string') return response.trim() === '';
  const [first = 0] = response;
  const isVisible = first > 0x20 && first < 0x7f;
  return response.length === 0 || (!isVisible && isUtf8(response) && decodeUtf8(response).trim() === '');
}

/** A response that runs in the background is acknowledged before it is complete. */
function isPending(kept: KeptHistories, envelope: string): boolean {
  const value: unknown = JSON.parse(envelope);
  return isObject(value) && kept.isPending(value);
}

/** How many characters of a stream are searched for the response id, which is near the front. */
const LOOKED_THROUGH = 256 * 1024;
const LOOKED_AT_ONCE = 2048;

/** The id in the JSON of a response, which may be UTF-8, or of one of its events. */
export function readResponseId(dialect: Dialect, response: string | Uint8Array): string | undefined {
  if (typeof response === 'string') return readIdOfText(dialect, response);
  // An id is ASCII. Latin-1 leaves ASCII as it is, and takes a fraction of the time and memory.
  const id = readIdOfText(
    dialect,
    Buffer.from(response.buffer, response.byteOffset, response.length).toString('latin1'),
  );
  return id === undefined || /^[\0-\x7f]*$/.test(id) ? id : readIdOfText(dialect, decodeUtf8(response));
}

function readIdOfText(dialect: Dialect, text: string): string | undefined {
  let value: unknown;
  try {
    value = text.length < LONG ? JSON.parse(text) : readShortMembers(text);
  } catch {
    return undefined;
  }
  const id = isObject(value) ? serving(dialect).responseId(value) : undefined;
  return typeof id === 'string' && id !== '' ? id : undefined;
}

/** From this length on, only the short members of a response are parsed to find its id. */
const LONG = 4096;

/** An object without its long members, but with the short ones of a long object. Throws if the text is not complete. */
function readShortMembers(text: string, depth = 0): JsonObject {
  const value: Record<string, unknown> = {};
  for (const { name, start, end } of findMembers(text)) {
    if (end - start < LONG) value[name] = JSON.parse(text.slice(start, end));
    else if (depth === 0 && text[start] === '{') value[name] = readShortMembers(text.slice(start, end), depth + 1);
  }
  return value as JsonObject;
}

/** Reads a stream piece by piece, as text or as UTF-8, and returns the response id once an event has named it. */
export function createResponseIdReader(
  dialect: Dialect,
  provider: string | undefined,
): (part: string | Uint8Array) => string | undefined {
  let left = LOOKED_THROUGH;
  let found: string | undefined;
  const decoder = findFraming(dialect, provider).split((_, data) => {
    found ??= readResponseId(dialect, data);
  });
  return (part) => {
    const pieces = typeof part === 'string' ? slices(part) : textPieces(part, LOOKED_AT_ONCE);
    while (found === undefined && left > 0) {
      const { done, value } = pieces.next();
      if (done) break;
      decoder.push(value);
      left -= LOOKED_AT_ONCE;
    }
    return found;
  };
}

function* slices(text: string): Generator<string> {
  for (let at = 0; at < text.length; at += LOOKED_AT_ONCE) yield text.slice(at, at + LOOKED_AT_ONCE);
}
