import { cutSse, gatherSse, portions } from './sse.ts';
import type { DeltaPattern, EventDecoder, StreamDelta, StreamEvent, StreamReader } from './stream.ts';

/** Ends a piece. No JSON string has a control character in it. */
const END = '\u0001';
/** As an expression, because `replaceAll` with a text makes a text of two pieces for each place. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: it is a control character because no JSON string has one
const ENDS = /\u0001/g;

/** A pattern is compiled for a text of this many characters. */
const WORTHWHILE = 1024;

/** Longer texts may hold a long event, which patterns are not made for. */
const LONGEST = 2 ** 18;

/** The pattern of the last run: the next one nearly always has the same. */
let known = { source: '', pattern: /^/ };

/** What several events say, which only go on with the same text. */
export interface DeltaRun {
  readonly type: DeltaPattern['type'];
  /** The piece of each event, as it stands in its JSON string, with `END` behind it. */
  readonly pieces: string;
  /** All pieces, as they stand in their JSON strings. */
  readonly joined: string;
  /** The pattern of the events. */
  readonly pattern: string;
}

/**
 * Reads the text of whole server-sent events at once, if all of them are the usual one: they are added to the reply. All that is
 * done for each event is done by the platform's own code, and what is kept of them is one text: an object for each would be most
 * of the garbage of a stream.
 */
export function readRun(usual: DeltaPattern | undefined, text: string): DeltaRun | undefined {
  if (!usual || text.length > LONGEST) return undefined;
  if (known.source !== usual.pattern) {
    if (text.length < WORTHWHILE) return undefined;
    known = { source: usual.pattern, pattern: new RegExp(`${usual.pattern}\n\n`, 'gy') };
  }
  const { pattern } = known;
  const pieces = text.replace(pattern, `$<text>${END}`);
  // What the pattern does not match stays as it is, with the ends of its lines.
  if (pieces.includes('\n')) return undefined;
  const joined = pieces.replace(ENDS, '');
  const { type, pattern: source } = usual;
  usual.add(joined, lastData(text), (template) => text.replace(pattern, template));
  return { type, pieces, joined, pattern: source };
}

/**
 * Adds the text of whole server-sent events to a reply. Returns what it says if all of them only go on with the same text.
 *
 * @example
 * const reader = openaiChat.readStream();
 * const run = addEvents(reader, 'data: {"choices":[{"index":0,"delta":{"content":"Hi"}}]}\n\n');
 */
export function addEvents(reader: StreamReader, text: string): DeltaRun | undefined {
  const run = readRun(reader.usual?.(), text);
  if (!run) cutSse(text, (event, data) => void reader.push(event, data));
  return run;
}

/**
 * Makes a function that writes a run with other words around its pieces; it returns undefined where the events differ in more than
 * their pieces. `rewrite` gets the text of an event with a mark in place of its piece, and leaves that where it is.
 *
 * @example
 * const rename = createRunRewriter((event) => event.replace('"model":"a"', '"model":"b"'));
 * const renamed = run && rename(run, text);
 */
export function createRunRewriter(
  rewrite: (event: string) => string,
): (run: DeltaRun, text: string) => string | undefined {
  let frame: readonly [before: string, after: string] = ['', ''];
  let written = frame;
  const isFrameOf = (pieces: string, text: string) =>
    frame[0] !== '' && text.startsWith(frame[0]) && fillFrame(frame, pieces) === text;
  return ({ pieces, pattern }, text) => {
    if (!isFrameOf(pieces, text)) {
      const event = text.slice(0, text.indexOf('\n\n') + 2);
      const [start, end] = new RegExp(pattern, 'd').exec(event)!.indices!.groups!.text!;
      const marked = `${event.slice(0, start)}${PLACE}${event.slice(end)}`;
      frame = cutAround(marked);
      written = cutAround(rewrite(marked));
      if (!isFrameOf(pieces, text)) return undefined;
    }
    return fillFrame(written, pieces);
  };
}

function fillFrame([before, after]: readonly [before: string, after: string], pieces: string): string {
  return `${before}${pieces.slice(0, -1).replace(ENDS, `${after}${before}`.replaceAll('$', '$$$$'))}${after}`;
}

/** The same as events. */
export function tellRun(run: DeltaRun): readonly StreamDelta[] {
  return cutRun(run).map((piece) => ({ type: run.type, text: unescapeJson(piece) }));
}

/** The pieces of a run, as they stand in their JSON strings. */
export function cutRun({ pieces }: DeltaRun): readonly string[] {
  return pieces.slice(0, -1).split(END);
}

/** The text of all pieces of a run. */
export function joinRun({ joined }: DeltaRun): string {
  return unescapeJson(joined);
}

/** Takes the place of a piece in what stands around it. */
export const PLACE = END;

/** What stands before and behind a piece. */
export function cutAround(text: string): readonly [before: string, after: string] {
  const at = text.indexOf(PLACE);
  return [text.slice(0, at), text.slice(at + PLACE.length)];
}

/** The text that stands in a JSON string. */
export function unescapeJson(piece: string): string {
  return piece.includes('\\') ? JSON.parse(`"${piece}"`) : piece;
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
      const run = readRun(reader.usual?.(), some);
      if (run) tell?.(tellRun(run));
      else cutSse(some, take);
    }
  });
}
