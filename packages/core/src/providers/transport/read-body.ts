import { cutSse, gatherSse, portions, sse } from '../../dialects/sse.ts';
import type { Framing } from '../../dialects/stream.ts';

/** Takes the events of a stream. */
export interface EventTaker {
  take(event: string | undefined, data: string): void;
  /** Takes the text of whole server-sent events; false leaves them to be taken one by one. */
  takeText(text: string): boolean;
  /** Whether `takeText` gets all that arrived at once, which it need not stop in between. */
  readonly takesAll?: boolean;
}

/** Waits for the next piece, within the time limits. */
type Wait = <T>(work: () => Promise<T>) => Promise<T>;

/** No reply of a model is larger; a few compressed bytes could otherwise fill the memory. */
const MOST_BYTES = 2 ** 27;

/** The error of a body that is too large. */
type TooLarge = (problem: string) => Error;

/** The pieces of a body as they come, decompressed. Leaving the loop early cancels the body. */
async function* readPieces(
  response: Response,
  wait: Wait,
  tooLarge: TooLarge,
): AsyncGenerator<Uint8Array, void, undefined> {
  if (!response.body) return;
  const reader = response.body.getReader();
  let ended = false;
  let left = MOST_BYTES;
  try {
    for (;;) {
      const { done, value } = await wait(() => reader.read());
      ended = done;
      if (done) return;
      left -= value.length;
      if (left < 0) throw tooLarge(`the reply has more than ${MOST_BYTES} bytes`);
      yield value;
    }
  } finally {
    // Not awaited: a body that does not answer must not delay the error that led here.
    if (!ended) reader.cancel().catch(() => {});
  }
}

export async function readText(response: Response, wait: Wait, tooLarge: TooLarge): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  let last: Uint8Array | undefined;
  for await (const piece of readPieces(response, wait, tooLarge)) {
    if (last) text += decoder.decode(last, { stream: true });
    last = piece;
  }
  // Most replies are one piece, which is decoded several times as fast as one that goes on.
  return text + decoder.decode(last);
}

/** A line that is neither blank nor a comment nor a field of an event stream. */
const FOREIGN_LINE = /^(?!\s*$|:|(?:data|event|id|retry)\b)/m;

/** `whenEmpty` makes the error of a body without events. It gets the text when that is no event stream at all. */
export async function* readEvents(
  response: Response,
  framing: Framing,
  { take, takeText, takesAll = false }: EventTaker,
  wait: Wait,
  tooLarge: TooLarge,
  whenEmpty: (text: string | undefined) => Promise<Error>,
): AsyncGenerator<void, void, undefined> {
  let isEmpty = true;
  const takeFirst = (event: string | undefined, data: string): void => {
    isEmpty = false;
    take(event, data);
  };
  /** Whole server-sent events: cut only where their text is not taken as it is. */
  let text = '';
  const decoder =
    framing === sse
      ? gatherSse((next) => {
          text = next;
        })
      : framing.split(takeFirst);
  const chars = new TextDecoder();
  /** What came before the first event. */
  let opening = '';
  for await (const piece of readPieces(response, wait, tooLarge)) {
    if (isEmpty) opening += chars.decode(piece, { stream: true });
    decoder.push(piece);
    yield* handOut();
  }
  // Only when the body came to its end: what a broken connection leaves behind is no event.
  decoder.end();
  yield* handOut();
  if (isEmpty) throw await whenEmpty(framing === sse && FOREIGN_LINE.test(opening) ? opening : undefined);

  /** In portions that grow: who stops the stream is heard early, and many events cost few promises. */
  async function* handOut(): AsyncGenerator<void, void, undefined> {
    // Other framings have handed on their events already.
    if (framing !== sse) yield;
    for (const some of takesAll && text !== '' ? [text] : portions(text)) {
      if (!takeText(some)) cutSse(some, takeFirst);
      yield;
    }
    text = '';
  }
}
