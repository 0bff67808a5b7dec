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
