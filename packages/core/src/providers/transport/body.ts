import { decodeSse } from '../../dialects/sse.ts';

export interface ServerSentEvent {
  readonly event: string | undefined;
  readonly data: string;
}

/** Waits for the next piece, within whatever limits there are. */
type Wait = <T>(work: () => Promise<T>) => Promise<T>;

/** What is larger is no reply of a model; a few compressed bytes can become as many as memory holds. */
const MOST_BYTES = 2 ** 27;

/** The error of a body that is too large. */
type TooLarge = (problem: string) => Error;

/** The pieces of a body as they come, decompressed. Whoever stops early cancels it. */
async function* piecesOf(
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
    // Not waited for: a body that does not answer must not hold up the error that led here.
    if (!ended) reader.cancel().catch(() => {});
  }
}

export async function textOf(response: Response, wait: Wait, tooLarge: TooLarge): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const piece of piecesOf(response, wait, tooLarge)) text += decoder.decode(piece, { stream: true });
  return text + decoder.decode();
}

/** A line that is neither blank nor a comment nor a field of an event stream. */
const FOREIGN_LINE = /^(?!\s*$|:|(?:data|event|id|retry)\b)/m;

/** `whenEmpty` makes the error of a body without an event. It gets the text, where that is no event stream at all. */
export async function* eventsOf(
  response: Response,
  wait: Wait,
  tooLarge: TooLarge,
  whenEmpty: (text: string | undefined) => Promise<Error>,
): AsyncGenerator<ServerSentEvent, void, undefined> {
  const ready: ServerSentEvent[] = [];
  const decoder = decodeSse((event, data) => ready.push({ event, data }));
  const chars = new TextDecoder();
  /** What came before the first event. */
  let opening: string | undefined = '';
  for await (const piece of piecesOf(response, wait, tooLarge)) {
    decoder.push(piece);
    if (ready.length > 0) opening = undefined;
    else if (opening !== undefined) opening += chars.decode(piece, { stream: true });
    yield* ready.splice(0);
  }
  // Only where the body came to its end: what a broken connection leaves behind is no event.
  decoder.end();
  if (opening !== undefined && ready.length === 0)
    throw await whenEmpty(FOREIGN_LINE.test(opening) ? opening : undefined);
  yield* ready.splice(0);
}
