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
  /** The reply as far as it came; before the stream's own end it is marked as cut. */
  finish(): Reply;
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
 * For patterns of usual events: a string, quotes and all, and a number that counts. Unlike `String.raw`, a plain literal
 * is left out of a bundle that does not use it.
 */
export const STRING = '("[ !#-[\\]-\\uffff]*(?:\\\\(?:["\\\\/bfnrt]|u[\\dA-Fa-f]{4})[ !#-[\\]-\\uffff]*)*")';
export const COUNT = '(0|[1-9]\\d{0,8})';

/**
 * What the pattern of a dialect's usual event takes out of it; nothing when the event is another, or long. Nearly all
 * events of a stream differ in one string only, and a pattern that accepts nothing but JSON reads them faster than a
 * parser does.
 */
export function usualParts(pattern: RegExp, data: string): readonly (string | undefined)[] {
  return (data.length < 4096 && pattern.exec(data)) || [];
}

/** The text between the quotes of a string; the value itself where that is the same, so as not to keep the event. */
export function pieceOf(json: string, value: string): string {
  return value.length + 2 === json.length ? value : json.slice(1, -1);
}

/**
 * The text between the quotes of a string in an event, escapes and all. Most events have no escapes: then it is the
 * parsed value. JSON has more than one spelling only for what is written as `\\u` or `\\/`, so without those it is what
 * the native printer makes of the value. Only else it is looked for.
 */
export function escapedPiece(data: string, path: Path, value: string): string {
  if (data.indexOf('\\') < 0) return value;
  if (data.indexOf('\\u') < 0 && data.indexOf('\\/') < 0) {
    const printed = JSON.stringify(value);
    // The printer escapes half a character, which the text then holds as it is.
    if (printed.indexOf('\\u') < 0) return printed.slice(1, -1);
  }
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

/**
 * Cuts a stream of server-sent events, however its bytes are cut.
 *
 * @example
 * const decoder = decodeSse((event, data) => console.log(event, data));
 * decoder.push('event: ping\ndata: {}\n\n'); // logs: ping {}
 * decoder.end();
 */
export function decodeSse(onEvent: (event: string | undefined, data: string) => void): EventDecoder {
  const decoder = new TextDecoder();
  /** The line that is not yet complete. */
  let rest = '';
  /** Whether a `\r` came last, which may be half of a line's end. */
  let isHeld = false;
  let event: string | undefined;
  let data: string | undefined;

  function feed(chunk: string): void {
    const text = isHeld || chunk.includes('\r') ? withNewlines(chunk) : chunk;
    // Only what is new is searched, so that a long line in many pieces is not searched again and again.
    if (!text.includes('\n')) {
      rest += text;
      return;
    }
    // Handed on when all is read: what a reader does is then not compiled into this loop, and in it again and again.
    const { names, data: texts } = eventsIn(rest + text);
    for (let at = 0; at < texts.length; at++) onEvent(names[at], texts[at]!);
  }

  /** A `\r` alone ends a line, too; whether the last one is alone, the next chunk tells. */
  function withNewlines(chunk: string): string {
    const text = isHeld ? `\r${chunk}` : chunk;
    isHeld = text.endsWith('\r');
    const known = isHeld ? text.slice(0, -1) : text;
    return hasLoneReturn(known) ? known.replace(/\r(?!\n)/g, '\n') : known;
  }

  function eventsIn(text: string): { readonly names: (string | undefined)[]; readonly data: string[] } {
    const names: (string | undefined)[] = [];
    const texts: string[] = [];
    let at = 0;
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', at)) {
      const lineEnd = text[end - 1] === '\r' ? end - 1 : end;
      if (lineEnd > at) readLine(text, at, lineEnd);
      else {
        if (data !== undefined) {
          names.push(event || undefined);
          texts.push(data);
        }
        event = data = undefined;
      }
      at = end + 1;
    }
    rest = text.slice(at);
    return { names, data: texts };
  }

  function readLine(text: string, start: number, end: number): void {
    const value = fieldValue(text, 'data', start, end);
    if (value !== undefined) data = data === undefined ? value : `${data}\n${value}`;
    else event = fieldValue(text, 'event', start, end) ?? event;
  }

  return {
    push(chunk) {
      feed(typeof chunk === 'string' ? chunk : decoder.decode(chunk, { stream: true }));
    },
    end() {
      feed(`${decoder.decode()}\n\n`);
    },
  };
}

/** Server-sent events. */
export const sse: Framing = { contentTypes: ['text/event-stream'], split: decodeSse };

function hasLoneReturn(text: string): boolean {
  let at = text.indexOf('\r');
  while (at >= 0 && text[at + 1] === '\n') at = text.indexOf('\r', at + 1);
  return at >= 0;
}

/** The value of a line `name: value`, undefined for other names. */
function fieldValue(text: string, name: string, start: number, end: number): string | undefined {
  const colon = start + name.length;
  if (!text.startsWith(name, start)) return undefined;
  if (colon === end) return '';
  return text[colon] === ':' ? text.slice(text[colon + 1] === ' ' ? colon + 2 : colon + 1, end) : undefined;
}

/** One event as the text of a stream. JSON has no line breaks, other data may. */
export function writeSse(event: string | undefined, data: string): string {
  const name = event === undefined ? '' : `event: ${event}\n`;
  return `${name}data: ${data.includes('\n') ? data.replaceAll('\n', '\ndata: ') : data}\n\n`;
}
