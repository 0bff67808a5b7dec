import { dialect } from '@skein/core';
import type { Clock } from '../model/clock.ts';
import { type EntryRecord, type PackedBytes, type StoreRecord, utf8Bytes } from '../model/records.ts';
import { removeSecrets } from '../model/secrets.ts';
import type { Store } from '../store/index.ts';
import { describeRequest, isEventStream, type RequestDescription, safeHeaders } from './describe-request.ts';
import {
  type Exchange,
  exchangeRecord,
  type Outcome,
  requestPart,
  responsePart,
  type UpstreamSide,
} from './exchange.ts';
import { replyRef } from './gateway-replies.ts';
import type { HintPlaces } from './hints.ts';
import { createResponseIdReader, readResponseId } from './read-exchange.ts';
import type { RecentTexts } from './recent-texts.ts';
import type { HeaderPairs, PendingWrite, RecordingWriter, RequestToRecord } from './recorder.ts';
import type { RequestHashes } from './request-hashes.ts';
import { byteLength, createResponseBuffer } from './response-buffer.ts';
import { UpstreamRecording, type UpstreamRequest, withoutSecrets } from './upstream-recording.ts';

/**
 * One exchange that is being recorded. It keeps the bytes that it is given without copying them, so do not overwrite
 * them.
 */
export interface Recording {
  readonly id: string;
  /** With the id of the response, if it is known: otherwise it is looked for in the response. */
  head(status: number, headers: HeaderPairs, responseId?: string): void;
  /** The next bytes of the response, or their text where it is at hand. */
  push(bytes: Uint8Array | string): void;
  end(outcome: Exclude<Outcome, 'open'>, error?: unknown): void;
  /** For a gateway: the request that goes to a provider. A further call is a further attempt. */
  upstream(request: UpstreamRequest): void;
  upstreamHead(status: number, headers: HeaderPairs): void;
  upstreamPush(bytes: Uint8Array): void;
  /**
   * For a gateway, when it has all that the client gets: ends the exchange, and resolves when it is stored and the reply is found
   * by these keys. `losses` are those of the response. Rejects where the store refuses it.
   */
  keepReply(keys: readonly string[], losses: UpstreamSide['losses']): Promise<void>;
}

/** A part of this size is written at once. Smaller ones would cost more: each is a write that waits for the disk, and most answers are one part. */
const PART_BYTES = 256 * 1024;
/** Bytes that arrive within this time count as one arrival. */
const MARK_MS = 10;
/** How many bytes may wait for a slow store, of one response and of all, before the rest of a response is dropped. */
const MOST_UNSAVED = 16 * 1024 * 1024;
const MOST_UNSAVED_OF_ALL = 256 * 1024 * 1024;

interface RecordingContext {
  readonly store: Pick<Store, 'writer' | 'append'>;
  readonly clock: Clock;
  readonly writer: RecordingWriter;
  /** Where the texts wait until the exchange is placed. */
  readonly texts: RecentTexts;
  /** The bytes of all recordings that are not stored yet. */
  readonly unsaved: { total: number };
  readonly report: (error: unknown) => void;
  readonly hints: HintPlaces | undefined;
  readonly hashes: RequestHashes;
}

/**
 * Records one exchange: first the request and the response as far as it has come, at the end the exchange with
 * everything known. Nothing is parsed while bytes pass; that happens when they are stored.
 */
export function createRecording(
  { store, clock, writer, texts: recent, unsaved, report, hints, hashes: known }: RecordingContext,
  request: RequestToRecord,
): Recording {
  const id = clock.tick();
  const start = clock.now();
  const buffer = createResponseBuffer();
  const texts = recent.collect(id);
  const upstream = new UpstreamRecording(id, clock);
  let replyKeys: readonly string[] = [];
  let writing: Promise<unknown> | undefined;
  let described: RequestDescription | undefined;
  let answered: Pick<Exchange, 'status' | 'responseHeaders' | 'firstByte' | 'responseId'> = {};
  let ended: Pick<Exchange, 'end' | 'outcome' | 'error'> | undefined;
  let isStream = false;
  let events: ReturnType<typeof createResponseIdReader> | undefined;
  let marks: (readonly [end: number, at: number])[] = [];
  let count = 0;
  let received = 0;
  let own = 0;
  let isRedacted = false;
  let isTruncated = false;
  let isReported = false;
  /** Whether the store was given the request, and everything. */
  let isBegun = false;
  let isComplete = false;
  /** Whether the writer was told of the end. It counts each end once. */
  let isOver = false;
  let hashes: ReturnType<RequestDescription['hashes']> | undefined;

  const hashBody: RequestHashes['hash'] = (...given) => known.hash(...given);
  const describe = () => {
    described ??= describeRequest(request, { id, start, writer: store.writer }, hints, hashBody);
    return described;
  };
  const hash = () => {
    hashes ??= describe().hashes();
    return hashes;
  };

  /**
   * The records to write now. The exchange itself is among them the first time, when the response id was found, and at
   * the end.
   */
  const news = (): StoreRecord[] => {
    if (isComplete) return [];
    isComplete = ended !== undefined;
    const isFirst = !isBegun;
    isBegun = true;
    const { body, secrets } = describe();
    const knew = answered.responseId;
    const part = nextPart(secrets);
    const beside = upstream.news(secrets, ended !== undefined, texts);
    const isNews = isFirst || ended || answered.responseId !== knew || beside.isChanged || replyKeys.length > 0;
    const refs = replyKeys.map((key) => replyRef(key, id, clock.tick()));
    replyKeys = [];
    if (isFirst && body) texts.request(body);
    if (isComplete && !isTruncated) texts.done();
    return [
      ...(isFirst && body ? [requestPart(id, body, clock.tick())] : []),
      ...(part ? [part] : []),
      ...beside.parts,
      ...(isNews ? [exchangeRecord(asKnown(describe()), clock.tick())] : []),
      ...refs,
    ];
  };

  const nextPart = (secrets: readonly string[]): EntryRecord | undefined => {
    const packed = buffer.take(ended !== undefined);
    if (!packed) return undefined;
    const clean = withoutKeys(packed, secrets);
    // The tree has the reply from the provider's side.
    if (!upstream.side) texts.response(clean);
    if ('text' in clean) lookForId(clean);
    const times = marks;
    marks = [];
    return responsePart(id, count++, clean, clock.tick(), clock.now(), times);
  };

  const withoutKeys = (packed: PackedBytes, secrets: readonly string[]): PackedBytes => {
    const clean = withoutSecrets(packed, secrets);
    isRedacted ||= clean !== packed;
    return clean;
  };

  const lookForId = (packed: { readonly text: string }) => {
    if (described?.exchange.responseId !== undefined || answered.responseId !== undefined) return;
    const spoken = described?.exchange.dialect;
    if (spoken === undefined) return;
    if (isStream) events ??= createResponseIdReader(dialect(spoken), described?.exchange.provider);
    const given = utf8Bytes(packed) ?? packed.text;
    const responseId = events ? events(given) : count === 0 ? readResponseId(dialect(spoken), given) : undefined;
    if (responseId !== undefined) answered = { ...answered, responseId };
  };

  const asKnown = ({ exchange, secrets }: RequestDescription): Exchange => ({
    ...exchange,
    ...answered,
    ...(isRedacted && { redacted: true }),
    ...(upstream.side && { upstream: upstream.side }),
    ...(ended && {
      ...ended,
      ...(ended.error !== undefined && { error: removeSecrets(ended.error, secrets) }),
      responseBytes: received,
      ...hash(),
      ...(isTruncated && { truncated: true }),
    }),
  });

  const writeNews = async (): Promise<boolean> => {
    const isEnd = isOver;
    const bytes = own;
    try {
      const records = news();
      const work = records.length > 0 ? store.append(records) : undefined;
      writing = work?.catch(() => undefined);
      await work;
    } catch (error) {
      isTruncated = true;
      texts.drop();
      // A store that fails once usually fails again for the same exchange; one report is enough.
      if (!isReported) report(error);
      isReported = true;
    }
    own -= bytes;
    unsaved.total -= bytes;
    return isEnd;
  };
  const pending = new PendingRecording(() => received + (request.body?.length ?? 0), writeNews);

  /** Notes when the bytes so far had arrived, for replays with the recorded timing. */
  const mark = () => {
    const at = clock.now();
    const last = marks.at(-1);
    if (last && at - last[1] < MARK_MS) marks[marks.length - 1] = [buffer.size, last[1]];
    else marks.push([buffer.size, at]);
  };

  const noteEnd = (outcome: Exclude<Outcome, 'open'>, error?: unknown) => {
    ended = {
      end: clock.now(),
      // Clients often do not read the body of a refusal, so it looks cut.
      outcome: (answered.status ?? 0) >= 400 ? 'refused' : outcome,
      ...(error !== undefined && { error: String((error as Error).message ?? error) }),
    };
  };

  /** While a gateway waits for the provider, it has time for what its end would wait for. */
  const prepare = () => {
    try {
      hash();
    } catch {
      // It fails again when it is stored, and is reported then.
    }
  };

  writer.begin(pending);

  return {
    id,
    head(status, headers, responseId) {
      answered = {
        ...answered,
        status,
        responseHeaders: safeHeaders(headers),
        ...(responseId !== undefined && { responseId }),
      };
      isStream = isEventStream(headers);
    },
    push(bytes) {
      if (ended || bytes.length === 0) return;
      const size = byteLength(bytes);
      if (received === 0) answered = { ...answered, firstByte: clock.now() };
      received += size;
      if (own > MOST_UNSAVED || unsaved.total > MOST_UNSAVED_OF_ALL) isTruncated = true;
      if (isTruncated) return;
      own += size;
      unsaved.total += size;
      buffer.push(bytes, size);
      mark();
      writer.more(pending, buffer.size >= PART_BYTES);
    },
    end(outcome, error) {
      if (ended) return;
      noteEnd(outcome, error);
      isOver = true;
      writer.end(pending);
    },
    upstream(sent) {
      upstream.begin(sent);
      // What an earlier attempt brought no longer counts.
      texts.restart();
      writer.more(pending);
      if (!described) setImmediate(prepare);
    },
    upstreamHead: (status, headers) => upstream.head(status, headers),
    upstreamPush(bytes) {
      if (own > MOST_UNSAVED || unsaved.total > MOST_UNSAVED_OF_ALL) isTruncated = true;
      if (ended || isTruncated) return;
      own += bytes.length;
      unsaved.total += bytes.length;
      if (upstream.push(bytes) >= PART_BYTES) writer.more(pending, true);
    },
    async keepReply(keys, losses) {
      if (ended) return;
      // A reply without some of its bytes must not be taken for the whole.
      replyKeys = isTruncated ? [] : keys;
      upstream.lose(losses);
      noteEnd('done');
      try {
        const work = store.append(news());
        // What was handed to the store before may still be on its way.
        if (writing) await writing;
        await work;
      } catch (error) {
        isTruncated = true;
        isComplete = false;
        texts.drop();
        isOver = true;
        writer.end(pending);
        throw error;
      }
      isOver = true;
      unsaved.total -= own;
      own = 0;
      writer.endWritten(pending);
    },
  };
}

/** What the writer is told of an exchange. */
class PendingRecording implements PendingWrite {
  readonly #size: () => number;
  readonly store: () => Promise<boolean>;

  constructor(size: () => number, store: () => Promise<boolean>) {
    this.#size = size;
    this.store = store;
  }

  get size(): number {
    return this.#size();
  }
}
