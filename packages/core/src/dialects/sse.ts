import type { EventDecoder, Framing } from './stream.ts';

type OnEvent = (event: string | undefined, data: string) => void;

/**
 * Cuts a stream of server-sent events, however its bytes are cut.
 *
 * @example
 * const decoder = decodeSse((event, data) => console.log(event, data));
 * decoder.push('event: ping\ndata: {}\n\n'); // logs: ping {}
 * decoder.end();
 */
export function decodeSse(onEvent: OnEvent): EventDecoder {
  return gatherSse((text) => cutSse(text, onEvent));
}

/** Server-sent events. */
export const sse: Framing = { contentTypes: ['text/event-stream'], split: decodeSse };

/** Hands out the text of whole events, one or more at a time, as soon as their blank lines have come; all lines end with `\n`. */
export function gatherSse(onText: (text: string) => void): EventDecoder {
  const decoder = new TextDecoder();
  /** The event that is not yet complete. */
  let rest = '';
  /** Whether a `\r` came last, which may be half of a line's end. */
  let isHeld = false;
  let isLineStart = true;

  function feed(chunk: string): void {
    const text = isHeld || chunk.includes('\r') ? withNewlines(chunk) : chunk;
    if (text === '') return;
    // Only what is new is searched, so that a long event in many pieces is not searched again and again.
    const end = text.lastIndexOf('\n\n') + 2;
    const known = end > 1 ? end : isLineStart && text.startsWith('\n') ? 1 : 0;
    isLineStart = text.endsWith('\n');
    const whole = rest + text.slice(0, known);
    rest = known > 0 ? text.slice(known) : rest + text;
    if (known > 0) onText(whole);
  }

  /** A `\r` alone ends a line, too; whether the last one is alone, the next chunk tells. */
  function withNewlines(chunk: string): string {
    const text = isHeld ? `\r${chunk}` : chunk;
    isHeld = text.endsWith('\r');
    return (isHeld ? text.slice(0, -1) : text).replaceAll('\r\n', '\n').replaceAll('\r', '\n');
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

/** Cuts the text of whole events. */
export function cutSse(text: string, onEvent: OnEvent): void {
  const names: (string | undefined)[] = [];
  const texts: string[] = [];
  let event: string | undefined;
  let data: string | undefined;
  let at = 0;
  for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', at)) {
    if (end > at) {
      const value = fieldValue(text, 'data', at, end);
      if (value === undefined) event = fieldValue(text, 'event', at, end) ?? event;
      else data = data === undefined ? value : `${data}\n${value}`;
    } else {
      if (data !== undefined) {
        names.push(event || undefined);
        texts.push(data);
      }
      event = data = undefined;
    }
    at = end + 1;
  }
  // Handed on when all is read: what a reader does is then not compiled into this loop, and in it again and again.
  for (let next = 0; next < texts.length; next++) onEvent(names[next], texts[next]!);
}

/** As many characters as a few short events have. */
const SHORT = 512;
/** More at once saves nothing, and one event that is not the usual one would make all of them be read one by one. */
const LONG = 2 ** 16;

/** Parts the text of whole events: one event, then some, then four times as many. */
export function* portions(text: string): Generator<string, void, undefined> {
  for (let at = 0, amount = 0; at < text.length; amount = Math.min(4 * amount + SHORT, LONG)) {
    const end = text.indexOf('\n\n', at + amount) + 2;
    const some = text.slice(at, end > 1 ? end : undefined);
    at += some.length;
    yield some;
  }
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
