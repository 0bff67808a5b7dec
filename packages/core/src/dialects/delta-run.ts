import { cutSse, gatherSse, portions } from './sse.ts';
import type { DeltaPattern, EventDecoder, StreamDelta, StreamEvent, StreamReader } from './stream.ts';

/** Ends a piece. No JSON string has a control character in it. */
const END = '\u0001';

/** A pattern is compiled for a text of this many characters. */
const WORTHWHILE = 1024;

/** Longer texts may hold a long event, which patterns are not made for. */
const LONGEST = 2 ** 18;

/** The pattern of the last run: the next one nearly always has the same. */
let known = { source: '', pattern: /^/ };

/**
 * Reads the text of whole server-sent events at once, if all of them are the usual one: they are added to the reply, and the
 * returned function tells them. All that is done for each event is done by the platform's own code, and what is kept of them
 * is one text: an object for each would be most of the garbage of a stream.
 */
export function readRun(usual: DeltaPattern | undefined, text: string): (() => readonly StreamDelta[]) | undefined {
  if (!usual || text.length > LONGEST) return undefined;
  if (known.source !== usual.pattern) {
    if (text.length < WORTHWHILE) return undefined;
    known = { source: usual.pattern, pattern: new RegExp(`${usual.pattern}\n\n`, 'gy') };
  }
  const { pattern } = known;
  const pieces = text.replace(pattern, `$<text>${END}`);
  // What the pattern does not match stays as it is, with the ends of its lines.
  if (pieces.includes('\n')) return undefined;
  usual.add(pieces.replaceAll(END, ''), lastData(text), (template) => text.replace(pattern, template));
  return toDeltas(usual.type, pieces);
}

/** A function of its own, because a closure keeps all that its surroundings hold: here the whole text. */
function toDeltas(type: DeltaPattern['type'], pieces: string): () => readonly StreamDelta[] {
  return () =>
    pieces
      .slice(0, -1)
      .split(END)
      .map((piece) => ({ type, text: piece.includes('\\') ? JSON.parse(`"${piece}"`) : piece }));
}

/** The data of the last event, which is its last line. */
function lastData(text: string): string {
  const end = text.trimEnd().length;
  return text.slice(text.lastIndexOf('\n', end - 1) + 1 + 'data: '.length, end);
}

/**
 * Reads a stream of server-sent events, however its bytes are cut. It is faster than `decodeSse` with `push` for each event,
 * because what only goes on with the same text is read at once; `tell` receives the same events.
 *
 * @example
 * const reader = openaiChat.readStream();
 * const decoder = readSse(reader);
 * for await (const chunk of response.body) decoder.push(chunk);
 * decoder.end();
 * const { message } = reader.finish();
 */
export function readSse(reader: StreamReader, tell?: (events: readonly StreamEvent[]) => void): EventDecoder {
  const take = (event: string | undefined, data: string): void => {
    const events = reader.push(event, data);
    tell?.(events);
  };
  return gatherSse((text) => {
    for (const some of portions(text)) {
      const deltas = readRun(reader.usual?.(), some);
      if (deltas) tell?.(deltas());
      else cutSse(some, take);
    }
  });
}
