import { dialect, diffPrefix, SkeinError } from '@skein/core';
import { serving } from '@skein/core/dialect';
import { allItems } from '../forest/index.ts';
import { DEFAULT_DIALECT } from '../model/dialects.ts';
import { findSecrets, removeSecrets } from '../model/secrets.ts';
import { readAddress, replayKey } from './describe-request.ts';
import {
  EXCHANGES,
  type Exchange,
  readExchangeRecord,
  readRequestBody,
  readResponseParts,
  type TimedPart,
} from './exchange.ts';
import { finalOutcome, readPlacement } from './placement.ts';
import { PLACEMENT_REF } from './projection/placement-refs.ts';
import type { RecordingForest, RequestToRecord } from './recorder.ts';

/** Options of a replayed response. */
interface ReplayOptions {
  /** `none` sends everything at once (the default); `recorded` keeps the recorded delays. */
  readonly timing?: 'none' | 'recorded';
}

const MISS = 'replay_miss';

/** How a replayer compares, and whom it tells. */
export interface ReplayerOptions {
  /**
   * What is compared of a body, and the names of what was left out. Requests that no recording answers exactly are compared
   * by it. It must be deterministic.
   */
  readonly compare?: (body: string) => { readonly text: string; readonly ignored: readonly string[] };
  readonly onReplay?: (event: ReplayEvent) => void;
  /** The first and the last exchange that may answer; others are as if they had not been recorded. */
  readonly between?: readonly [first: string, last: string];
}

/** A request that was answered from a recording, or was not. */
export type ReplayEvent =
  | {
      readonly kind: 'hit';
      /** The exchange that answered. */
      readonly exchange: string;
      /** What was ignored to find it; empty for an exact match. */
      readonly ignored: readonly string[];
    }
  | {
      readonly kind: 'miss';
      readonly method: string;
      readonly path: string;
      /** The nearest recording, and where it differs. */
      readonly message: string;
      readonly nearest?: string;
    };

/** Answers requests from recordings. */
export interface Replayer {
  /**
   * The next recorded response to this request; undefined if there is none. Throws if the recorded request got no
   * response.
   */
  answer(request: RequestToRecord, options?: ReplayOptions): Promise<Response | undefined>;
  /** An error in the provider's format: clients show its text and do not retry. */
  refuse(request: RequestToRecord): Promise<Response>;
}

/**
 * Answers requests from recordings. If a request was recorded several times, the recordings answer in order, and the
 * last one from then on.
 *
 * @example
 * const replayer = createReplayer(forest);
 * const response = (await replayer.answer(request)) ?? (await replayer.refuse(request));
 */
export function createReplayer(forest: RecordingForest, options: ReplayerOptions = {}): Replayer {
  const { compare, onReplay = () => undefined, between } = options;
  const asked = new Map<string, number>();
  let index: Map<string, Exchange[]> | undefined;
  const find = async (request: RequestToRecord) => {
    const exact = toReplayRequest(request);
    index ??= await recordingsByKey(forest, compare, between);
    // Newer recordings are loaded only if nothing else answers.
    if (!index.has(exact.key) && !between) index = await recordingsByKey(forest, compare, between);
    if (index.has(exact.key) || !compare) return { key: exact.key, ignored: [] };
    const { text, ignored } = compare(exact.body);
    return { key: replayKey(request.method, new URL(request.url), text), ignored };
  };
  return {
    async answer(request, { timing = 'none' } = {}) {
      const { key, ignored } = await find(request);
      const recordings = index?.get(key) ?? [];
      const count = asked.get(key) ?? 0;
      const recording = recordings[Math.min(count, recordings.length - 1)];
      if (!recording) return undefined;
      asked.set(key, count + 1);
      onReplay({ kind: 'hit', exchange: recording.id, ignored });
      if (recording.status === undefined) throw new RecordedFailureError(recording.error ?? '');
      const { store } = forest;
      const { items } = await store.refs({ on: 'forest', keys: [recording.id], names: [PLACEMENT_REF] });
      const outcome = finalOutcome(recording, readPlacement(items[0]?.value));
      return createResponse({ ...recording, outcome }, await readResponseParts(store, recording.id), timing);
    },
    async refuse(request) {
      const asked = toReplayRequest(request);
      const { message, nearest } = await describeMiss(forest, asked);
      const { method, path } = asked;
      onReplay({ kind: 'miss', method, path, message, ...(nearest !== undefined && { nearest }) });
      const { dialect: id } = readAddress(asked.method, asked.path, request.provider);
      const error = { status: 404, code: MISS, message };
      const body = serving(id === undefined ? DEFAULT_DIALECT : dialect(id)).errorBody(error);
      const skein = { code: MISS, ...(nearest !== undefined && { nearest }) };
      const headers = { 'content-type': 'application/json', 'x-skein-replay': 'miss' };
      return Response.json({ ...body, skein }, { status: 404, headers });
    },
  };
}

/** The recorded request had no answer, so its replay has none. */
class RecordedFailureError extends SkeinError {
  override readonly name = 'RecordedFailureError';
  readonly code = 'connection';

  constructor(reason: string) {
    super(`fetch failed (as recorded): ${reason}`);
  }
}

function toReplayRequest({ method, url, headers, body }: RequestToRecord): ReplayRequest {
  const address = new URL(url);
  const text = removeSecrets(Buffer.from(body ?? '').toString(), findSecrets(address, headers));
  return { method, path: address.pathname, key: replayKey(method, address, text), body: text };
}

function createResponse(recording: Exchange, parts: readonly TimedPart[], timing: 'none' | 'recorded'): Response {
  const { status, start, responseHeaders = {}, outcome, error } = recording;
  const headers = { ...responseHeaders, 'x-skein-replay': 'hit' };
  const isEmpty = status === 204 || status === 205 || status === 304;
  const failure = outcome === 'cut' ? (error ?? 'the answer ended early') : undefined;
  const pieces = timing === 'none' ? splitEvents(parts) : parts.map(({ bytes, at }) => ({ bytes, after: at - start }));
  return new Response(isEmpty ? null : streamPieces(pieces, failure), { status: status!, headers });
}

interface Piece {
  readonly bytes: Uint8Array;
  /** Milliseconds after the request. */
  readonly after: number;
}

/** Streams pieces at their times; a cut response fails where it was cut. */
function streamPieces(pieces: readonly Piece[], failure: string | undefined): ReadableStream<Uint8Array> {
  const begun = Date.now();
  let index = 0;
  return new ReadableStream(
    {
      async pull(controller) {
        const piece = pieces[index++];
        if (piece) {
          const wait = begun + piece.after - Date.now();
          if (wait > 0) await new Promise((done) => setTimeout(done, wait));
          controller.enqueue(piece.bytes);
        } else if (failure === undefined) controller.close();
        else controller.error(new TypeError(`terminated (as recorded): ${failure}`));
      },
    },
    // An error discards queued bytes, so nothing is queued.
    { highWaterMark: 0 },
  );
}

/** The response event by event, without delays. */
function splitEvents(parts: readonly TimedPart[]): Piece[] {
  const bytes = new Uint8Array(Buffer.concat(parts.map((part) => part.bytes)));
  let at = 0;
  return eventEnds(bytes).map((end) => {
    const piece = { bytes: bytes.slice(at, end), after: 0 };
    at = end;
    return piece;
  });
}

/** The ends of events: after each blank line, and at the end. */
function eventEnds(bytes: Uint8Array): number[] {
  const ends: number[] = [];
  for (let index = 1; index < bytes.length; index++) {
    const isBlank =
      bytes[index] === 10 && (bytes[index - 1] === 10 || (bytes[index - 1] === 13 && bytes[index - 2] === 10));
    if (isBlank) ends.push(index + 1);
  }
  if (bytes.length > 0 && ends.at(-1) !== bytes.length) ends.push(bytes.length);
  return ends;
}

/** The parts of a request that a replay compares. */
interface ReplayRequest {
  readonly method: string;
  readonly path: string;
  readonly key: string;
  readonly body: string;
}

/** Why no recording answers a request: the nearest one, and where they differ. */
interface ReplayMiss {
  readonly nearest?: string;
  readonly message: string;
}

/** How many recordings, the newest ones, are compared for a miss. */
const COMPARED = 200;

/** All recordings with a response, by replay key and by that of what is compared, in recorded order. */
async function recordingsByKey(
  forest: RecordingForest,
  compare: ReplayerOptions['compare'],
  between: ReplayerOptions['between'],
): Promise<Map<string, Exchange[]>> {
  const found = new Map<string, Exchange[]>();
  const [first, last] = between ?? [];
  let isBefore = first !== undefined;
  for await (const exchange of everyExchange(forest)) {
    const { replayKey: exact, outcome } = exchange;
    if (exchange.id === first) isBefore = false;
    if (!isBefore && exact !== undefined && outcome !== 'open') {
      const lenient = compare && (await comparedKey(forest, exchange, compare));
      for (const key of new Set([exact, ...(lenient === undefined ? [] : [lenient])])) {
        const same = found.get(key);
        if (same) same.push(exchange);
        else found.set(key, [exchange]);
      }
    }
    if (exchange.id === last) break;
  }
  return found;
}

async function comparedKey(
  { store }: RecordingForest,
  { id, method, host, path, query }: Exchange,
  compare: NonNullable<ReplayerOptions['compare']>,
): Promise<string> {
  const body = Buffer.from((await readRequestBody(store, id)) ?? '').toString();
  return replayKey(method, new URL(`https://${host}${path}?${query}`), compare(body).text);
}

/** Describes a miss: the request, the nearest recording, and where they differ. */
async function describeMiss(forest: RecordingForest, request: ReplayRequest): Promise<ReplayMiss> {
  const asked = `No recording answers ${request.method} ${request.path}.`;
  let candidates: Exchange[] = [];
  for await (const exchange of everyExchange(forest)) {
    if (exchange.path !== request.path || exchange.method !== request.method || exchange.outcome === 'open') continue;
    candidates.push(exchange);
    if (candidates.length > COMPARED * 2) candidates = candidates.slice(-COMPARED);
  }
  let best: { exchange: Exchange; rank: number; message: string } | undefined;
  for (const exchange of candidates.slice(-COMPARED)) {
    const bytes = await readRequestBody(forest.store, exchange.id);
    const compared = compare(Buffer.from(bytes ?? []).toString(), request.body);
    if (!best || compared.rank >= best.rank) best = { exchange, ...compared };
  }
  if (!best) return { message: `${asked} Nothing was recorded at this address: record it first.` };
  const { exchange, message } = best;
  return { nearest: exchange.id, message: `${asked} The nearest is ${exchange.id}: ${message}` };
}

const PARTS = ['system', 'tools', 'messages'] as const;

/** Ranks how far two requests agree, and describes the first difference. */
function compare(recorded: string, asked: string): { rank: number; message: string } {
  try {
    const difference = diffPrefix(recorded, asked);
    if (!difference) {
      const isLonger = diffPrefix(asked, recorded) !== undefined;
      const message = isLonger ? 'the request has more messages.' : 'only parameters differ.';
      return { rank: isLonger ? 1e9 : 2e9, message };
    }
    const { part, index, before, after } = difference;
    return {
      rank: PARTS.indexOf(part) * 1e6 + index + similarity(before ?? '', after ?? ''),
      message: `they part at ${part}[${index}], recorded ${abbreviate(before)}, asked ${abbreviate(after)}.`,
    };
  } catch {
    return { rank: -1, message: 'the bodies cannot be compared.' };
  }
}

/** How much of two different texts is the same at their beginnings and ends, from 0 up to, but not including, 1. */
function similarity(a: string, b: string): number {
  const most = Math.min(a.length, b.length);
  let start = 0;
  while (start < most && a[start] === b[start]) start++;
  let end = 0;
  while (end < most - start && a.at(-1 - end) === b.at(-1 - end)) end++;
  return (start + end) / (Math.max(a.length, b.length) + 1);
}

function abbreviate(text: string | undefined): string {
  if (text === undefined) return 'nothing';
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}

async function* everyExchange({ store }: RecordingForest): AsyncGenerator<Exchange> {
  for await (const entry of allItems((page) => store.entries('exchange', { of: EXCHANGES, ...page }))) {
    const exchange = readExchangeRecord(entry);
    if (exchange) yield exchange;
  }
}
