import type { Clock, EntryRecord, PackedBytes } from '../model/index.ts';
import type { Store } from '../store/index.ts';
import { type Exchange, exchangeRecord, type Outcome, requestPart, responsePart } from './exchange.ts';
import { createResponseBuffer } from './response-buffer.ts';
import { responseIdIn, watchForId } from './response-id.ts';
import { safeHeaders, withoutSecrets } from './safe-parts.ts';

/** One exchange under way. */
export interface Recording {
  readonly id: string;
  head(status: number, headers: Headers): void;
  push(bytes: Uint8Array): void;
  end(outcome: Exclude<Outcome, 'open'>, error?: unknown): void;
}

/** A part is written when it has so many bytes, or so long after its first one: what a crash can lose. */
const PART_BYTES = 64 * 1024;
const PART_MS = 500;
/** Bytes that came within so long count as one arrival. */
const MARK_MS = 10;
/** What may wait for a slow store before the rest of an answer is given up. */
const MOST_UNSAVED = 16 * 1024 * 1024;

export interface RecordingContext {
  readonly store: Store;
  readonly clock: Clock;
  readonly secrets: readonly string[];
  /** Watches over work that nobody waits for. */
  readonly track: (work: Promise<unknown>) => void;
  /** Worked out when the answer is there. */
  readonly hashes: () => Pick<Exchange, 'requestSha256' | 'replayKey'>;
  /** Given the writing of the last record. */
  readonly ended: (work: Promise<unknown>) => void;
}

/** The request is stored at once, the answer as it comes, and the exchange again with all that is known at its end. */
export function createRecording(
  { store, clock, secrets, track, ended, hashes }: RecordingContext,
  begun: Exchange,
  request: Uint8Array | undefined,
): Recording {
  const buffer = createResponseBuffer();
  let exchange = begun;
  let writing: Promise<unknown> = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;
  let count = 0;
  let received = 0;
  let unsaved = 0;
  let isTruncated = false;
  let isOver = false;
  let marks: (readonly [end: number, at: number])[] = [];
  let watch: ((bytes: Uint8Array) => void) | undefined;

  /** In order; what fails is reported, and what comes later is tried nevertheless. */
  const write = (records: () => readonly EntryRecord[], bytes = 0) => {
    unsaved += bytes;
    const work = writing.then(() => store.append(records()));
    writing = work
      .catch(() => {
        isTruncated = true;
      })
      .finally(() => {
        unsaved -= bytes;
      });
    return work;
  };
  const writeHead = () => track(write(() => [exchangeRecord(exchange, clock.tick())]));

  const flush = (isEnd: boolean) => {
    clearTimeout(timer);
    timer = undefined;
    const { size } = buffer;
    const packed = buffer.take(isEnd);
    if (!packed) return;
    const part = clean(packed);
    const index = count++;
    const at = clock.now();
    const times = marks;
    marks = [];
    track(write(() => [responsePart(exchange.id, index, { ...part, marks: times }, clock.tick(), at)], size));
  };

  const clean = (packed: PackedBytes): PackedBytes => {
    if (!('text' in packed)) return packed;
    const text = withoutSecrets(packed.text, secrets);
    if (text !== packed.text) exchange = { ...exchange, redacted: true };
    if (count === 0 && exchange.responseId === undefined) learnId(responseIdIn(text));
    return { text };
  };

  /** When what came up to here was there, for replays that keep the time. */
  const mark = () => {
    const at = clock.now();
    const last = marks.at(-1);
    if (last && at - last[1] < MARK_MS) marks[marks.length - 1] = [buffer.size, last[1]];
    else marks.push([buffer.size, at]);
  };

  const learnId = (responseId: string | undefined) => {
    if (responseId !== undefined) exchange = { ...exchange, responseId };
  };

  track(
    write(() => [
      ...(request ? [requestPart(exchange.id, request, clock.tick())] : []),
      exchangeRecord(exchange, clock.tick()),
    ]),
  );

  return {
    id: exchange.id,
    head(status, headers) {
      exchange = { ...exchange, status, responseHeaders: safeHeaders(headers) };
      if (!headers.get('content-type')?.includes('event-stream') || exchange.responseId !== undefined) return;
      watch = watchForId((responseId) => {
        learnId(responseId);
        writeHead();
      });
    },
    push(bytes) {
      if (isOver || bytes.length === 0) return;
      if (received === 0) exchange = { ...exchange, firstByte: clock.now() };
      received += bytes.length;
      if (unsaved + buffer.size > MOST_UNSAVED) isTruncated = true;
      if (isTruncated) return;
      buffer.push(bytes);
      mark();
      watch?.(bytes);
      if (buffer.size >= PART_BYTES) flush(false);
      else timer ??= setTimeout(() => flush(false), PART_MS).unref();
    },
    end(outcome, error) {
      if (isOver) return;
      isOver = true;
      flush(true);
      const why = error === undefined ? undefined : withoutSecrets(String((error as Error).message ?? error), secrets);
      exchange = {
        ...exchange,
        end: clock.now(),
        // Clients often leave a refusal unread.
        outcome: (exchange.status ?? 0) >= 400 ? 'refused' : outcome,
        responseBytes: received,
        ...(why !== undefined && { error: why }),
      };
      ended(
        write(() => [
          exchangeRecord({ ...exchange, ...hashes(), ...(isTruncated && { truncated: true }) }, clock.tick()),
        ]),
      );
    },
  };
}
