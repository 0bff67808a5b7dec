import {
  find,
  isJson,
  isObject,
  isText,
  type JsonObject,
  leafNode,
  listNode,
  type Path,
  parseJson,
  type RecordNode,
  setMember,
  type Tree,
} from '../json/index.ts';
import type { Reply } from './reply.ts';

/**
 * What a reader tells of a stream while it arrives: the pieces of the reply, where its blocks part, and failures. New kinds
 * of events may be added: pass over those that you do not know.
 */
export type StreamEvent =
  | StreamDelta
  /** The blocks so far are complete: the next piece begins a block, or a paragraph of the last. */
  | { readonly type: 'boundary' }
  /** The provider reported a failure inside the stream; `native` is its exact text. */
  | { readonly type: 'error'; readonly message: string; readonly native: string };

/** A piece of a reply: what a run tells of it. Without a boundary before it, a piece continues the last block of its kind. */
export type StreamDelta =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'reasoning'; readonly text: string }
  | { readonly type: 'refusal'; readonly text: string }
  /** A call begins. `index` tells parallel calls apart within the reply; `id` is empty where the provider gives none. */
  | { readonly type: 'tool-use'; readonly index: number; readonly id: string; readonly name: string }
  /** The next piece of its arguments. */
  | { readonly type: 'tool-arguments'; readonly index: number; readonly text: string }
  /** An event that this version does not know, or text that is not JSON: kept in the envelope. */
  | { readonly type: 'unknown'; readonly event: string | undefined; readonly data: string };

/** Reads one streamed reply. `push` takes one event of the stream and never throws; it tells every call of the message. */
export interface StreamReader {
  push(event: string | undefined, data: string): readonly StreamEvent[];
  /** What the next events say, if they only go on with what the last one said: see `readRun`. */
  usual?(): DeltaPattern | undefined;
  /** The reply as far as it came; before the stream's own end it is marked as cut. */
  finish(): Reply;
}

/** An event that only goes on with what the last one said: it differs from others of its kind in one string. */
export interface DeltaPattern {
  readonly type: 'text' | 'reasoning' | 'refusal';
  /** A pattern of it as a server-sent event, without the blank line. Its group `text` is the string without its quotes. */
  readonly pattern: string;
  /**
   * Adds such events. `text` is what their strings have between the quotes, joined; `data` is the data of the last event;
   * `join` replaces each event by a template, such as `$<text>`.
   */
  add(text: string, data: string, join: (template: string) => string): void;
}

export const NO_EVENTS: readonly StreamEvent[] = [];

export const BOUNDARY: StreamEvent = { type: 'boundary' };

/** Parses an event once and hands it on; what is no JSON object, or is not understood (undefined), is kept unread. */
export function readEvent(
  unread: UnreadEvents,
  event: string | undefined,
  data: string,
  read: (value: JsonObject) => readonly StreamEvent[] | undefined,
): readonly StreamEvent[] {
  try {
    const value = parseJson(data);
    return (isObject(value) ? read(value) : undefined) ?? unread.keep(event, data);
  } catch {
    // Not JSON, or nested deeper than anything is read.
    return unread.keep(event, data);
  }
}

/** Events that no reader knows: reported as they come, and kept for the envelope. */
export class UnreadEvents {
  readonly #items: Tree[] = [];

  keep(event: string | undefined, data: string): readonly StreamEvent[] {
    const kept = isJson(data) ? data : JSON.stringify(data);
    this.#items.push(leafNode(`{${event === undefined ? '' : `"event":${JSON.stringify(event)},`}"data":${kept}}`));
    return [{ type: 'unknown', event, data }];
  }

  /** Adds `unread_events` to an envelope when there are any. */
  addTo(envelope: RecordNode): void {
    if (this.#items.length > 0) setMember(envelope, 'unread_events', listNode(this.#items));
  }
}

/** What an error says, whatever shape it has. */
export function errorMessage(error: unknown): string {
  const message = isObject(error) && isText(error.message) ? error.message : error;
  return isText(message) ? message : (JSON.stringify(message) ?? 'the provider reported an error');
}

export function errorEvent(error: unknown, native: string): StreamEvent {
  return { type: 'error', message: errorMessage(error), native };
}

/**
 * For patterns of usual events: a string that is not empty, and a number that counts. Unlike `String.raw`, a plain literal is
 * left out of a bundle that does not use it.
 */
export const TEXT = '"(?<text>(?!")[ !#-[\\]-\\uffff]*(?:\\\\(?:["\\\\/bfnrt]|u[\\dA-Fa-f]{4})[ !#-[\\]-\\uffff]*)*)"';
export const COUNT = '(?:0|[1-9]\\d{0,8})';

/** The text between the quotes of a string in an event, escapes and all. Most events have none: then it is the value. */
export function escapedPiece(data: string, path: Path, value: string): string {
  if (!data.includes('\\')) return value;
  const range = find(data, path);
  return range ? data.slice(range.start + 1, range.end - 1) : JSON.stringify(value).slice(1, -1);
}

/**
 * How the body of a streamed response is cut into events. A dialect has one, and a provider may replace it: server-sent
 * events are the default.
 */
export interface Framing {
  /** The media types of such bodies; requests ask for the first. */
  readonly contentTypes: readonly [string, ...string[]];
  /** Cuts one body into events, however its bytes arrive. */
  split(onEvent: (event: string | undefined, data: string) => void): EventDecoder;
  /** Whether such bodies are no text. A `ReplyWriter` then writes one character for each byte. */
  readonly isBinary?: boolean;
  /** Changes the texts inside a binary body, for redaction; lengths and checksums are those of the changed texts. */
  rewrite?(body: Uint8Array, change: (text: string) => string): Uint8Array;
}

/** Takes the bytes of one body and hands out its events. */
export interface EventDecoder {
  push(chunk: Uint8Array | string): void;
  /** The body is over: what has the form of an event, but lacks its end, is handed out as it is. */
  end(): void;
}
