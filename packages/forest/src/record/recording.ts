import { dialect } from '@skein/core';
import { type Clock, type EntryRecord, type PackedBytes, packBytes, removeSecrets } from '../model/index.ts';
import type { Store } from '../store/index.ts';
import { describeRequest, isEventStream, type RequestDescription, safeHeaders } from './describe-request.ts';
import { type Exchange, exchangeRecord, type Outcome, requestPart, responsePart } from './exchange.ts';
import type { HintPlaces } from './hints.ts';
import { createResponseIdReader, readResponseId } from './read-exchange.ts';
import type { HeaderPairs, PendingWrite, RecordingWriter, RequestToRecord } from './recorder.ts';

/** One exchange under way. What it is given is kept, not copied: do not write over it. */
export interface Recording {
  readonly id: string;
  head(status: number, headers: HeaderPairs): void;
  push(bytes: Uint8Array): void;
  end(outcome: Exclude<Outcome, 'open'>, error?: unknown): void;
}

/** A part that has so many bytes is written without waiting for others. */
const PART_BYTES = 64 * 1024;
/** Bytes that came within so long count as one arrival. */
const MARK_MS = 10;
/** What may wait for a slow store, of one answer and of all, before the rest of an answer is given up. */
const MOST_UNSAVED = 16 * 1024 * 1024;
const MOST_UNSAVED_OF_ALL = 256 * 1024 * 1024;

interface RecordingContext {
  readonly store: Store;
  readonly clock: Clock;
  readonly pen: RecordingWriter;
  /** Bytes of all recordings that are not stored yet. */
  readonly unsaved: { total: number };
  readonly report: (error: unknown) => void;
  readonly hints: HintPlaces | undefined;
}

/**
 * Takes note of what passes, and looks at none of it until it is stored: the request and the answer as far as it came,
 * and at the end the exchange with all that is known.
 */
export function createRecording(
  { store, clock, pen, unsaved, report, hints }: RecordingContext,
  request: RequestToRecord,
): Recording {
  const id = clock.tick();
  const start = clock.now();
  const buffer = createResponseBuffer();
  let described: RequestDescription | undefined;
  let answered: Pick<Exchange, 'status' | 'responseHeaders' | 'firstByte' | 'responseId'> = {};
  let ended: Pick<Exchange, 'end' | 'outcome' | 'error'> | undefined;
  let isStream = false;
  let events: ((text: string) => string | undefined) | undefined;
  let marks: (readonly [end: number, at: number])[] = [];
  let count = 0;
  let received = 0;
  let own = 0;
  let isRedacted = false;
  let isTruncated = false;
  let isReported = false;

  /** Everything that is new; the exchange itself when it is the first time, the id was found, or it is over. */
  const news = (): EntryRecord[] => {
    const isFirst = !described;
    described ??= describeRequest(request, { id, start, writer: store.writer }, hints);
    const { body, secrets } = described;
    const knew = answered.responseId;
    const part = nextPart(secrets);
    return [
      ...(isFirst && body ? [requestPart(id, body, clock.tick())] : []),
      ...(part ? [part] : []),
      ...(isFirst || ended || answered.responseId !== knew ? [exchangeRecord(asKnown(described), clock.tick())] : []),
    ];
  };

  const nextPart = (secrets: readonly string[]): EntryRecord | undefined => {
    const packed = buffer.take(ended !== undefined);
    if (!packed) return undefined;
    const clean = withoutKeys(packed, secrets);
    if ('text' in clean) lookForId(clean.text);
    const times = marks;
    marks = [];
    return responsePart(id, count++, { ...clean, marks: times }, clock.tick(), clock.now());
  };

  const withoutKeys = (packed: PackedBytes, secrets: readonly string[]): PackedBytes => {
    if (!('text' in packed)) return packed;
    const text = removeSecrets(packed.text, secrets);
    isRedacted ||= text !== packed.text;
    return { text };
  };

  const lookForId = (text: string) => {
    if (described?.exchange.responseId !== undefined || answered.responseId !== undefined) return;
    const spoken = described?.exchange.dialect;
    if (spoken === undefined) return;
    if (isStream) events ??= createResponseIdReader(dialect(spoken));
    const responseId = events ? events(text) : count === 0 ? readResponseId(dialect(spoken), text) : undefined;
    if (responseId !== undefined) answered = { ...answered, responseId };
  };

  const asKnown = ({ exchange, hashes, secrets }: RequestDescription): Exchange => ({
    ...exchange,
    ...answered,
    ...(isRedacted && { redacted: true }),
    ...(ended && {
      ...ended,
      ...(ended.error !== undefined && { error: removeSecrets(ended.error, secrets) }),
      responseBytes: received,
      ...hashes(),
      ...(isTruncated && { truncated: true }),
    }),
  });

  const draft: PendingWrite = {
    async store() {
      const isEnd = ended !== undefined;
      const bytes = own;
      try {
        await store.append(news());
      } catch (error) {
        isTruncated = true;
        // What fails at the beginning fails at the end, too: it is one exchange that is not whole.
        if (!isReported) report(error);
        isReported = true;
      }
      own -= bytes;
      unsaved.total -= bytes;
      return isEnd;
    },
  };

  /** When what came up to here was there, for replays that keep the time. */
  const mark = () => {
    const at = clock.now();
    const last = marks.at(-1);
    if (last && at - last[1] < MARK_MS) marks[marks.length - 1] = [buffer.size, last[1]];
    else marks.push([buffer.size, at]);
  };

  pen.begin(draft);

  return {
    id,
    head(status, headers) {
      answered = { ...answered, status, responseHeaders: safeHeaders(headers) };
      isStream = isEventStream(headers);
    },
    push(bytes) {
      if (ended || bytes.length === 0) return;
      if (received === 0) answered = { ...answered, firstByte: clock.now() };
      received += bytes.length;
      if (own > MOST_UNSAVED || unsaved.total > MOST_UNSAVED_OF_ALL) isTruncated = true;
      if (isTruncated) return;
      own += bytes.length;
      unsaved.total += bytes.length;
      buffer.push(bytes);
      mark();
      pen.more(draft, buffer.size >= PART_BYTES);
    },
    end(outcome, error) {
      if (ended) return;
      ended = {
        end: clock.now(),
        // Clients often leave a refusal unread.
        outcome: (answered.status ?? 0) >= 400 ? 'refused' : outcome,
        ...(error !== undefined && { error: String((error as Error).message ?? error) }),
      };
      pen.end(draft);
    },
  };
}

/** Gathers the bytes of an answer into parts that end between characters. */
interface ResponseBuffer {
  push(bytes: Uint8Array): void;
  /** What has come since the last part; `isEnd` takes also the beginning of a character that never came. */
  take(isEnd: boolean): PackedBytes | undefined;
  readonly size: number;
}

function createResponseBuffer(): ResponseBuffer {
  let pieces: Uint8Array[] = [];
  let size = 0;
  return {
    push(bytes) {
      pieces.push(bytes);
      size += bytes.length;
    },
    take(isEnd) {
      const all = Buffer.concat(pieces);
      const cut = isEnd ? all.length : wholeCharacters(all);
      pieces = cut < all.length ? [all.subarray(cut)] : [];
      size = all.length - cut;
      return cut === 0 ? undefined : packBytes(all.subarray(0, cut));
    },
    get size() {
      return size;
    },
  };
}

/** How many bytes there are before a character that is not complete. */
function wholeCharacters(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(4, bytes.length); back++) {
    const byte = bytes[bytes.length - back]!;
    if ((byte & 0xc0) === 0x80) continue;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return length > back ? bytes.length - back : bytes.length;
  }
  return bytes.length;
}
