import { dialect, diffPrefix, openaiChat } from '@skein/core';
import { serving } from '@skein/core/dialect';
import { allItems } from '../forest/index.ts';
import { findSecrets, removeSecrets } from '../model/index.ts';
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
import { PLACEMENT_REF } from './projection/tree-writer.ts';
import type { RecordingForest, RequestToRecord } from './recorder.ts';

export interface ReplayOptions {
  /** `none`: all at once (default); `recorded`: each part when it once came. */
  readonly timing?: 'none' | 'recorded';
}

const MISS = 'replay_miss';

/** Answers requests from recordings. */
export interface Replayer {
  /**
   * The next recorded answer to this request; undefined when there is none. Throws where the recording is of a
   * request that got no answer.
   */
  answer(request: RequestToRecord, options?: ReplayOptions): Promise<Response | undefined>;
  /** What a provider would say of something that does not exist: clients show its text and do not try again. */
  refuse(request: RequestToRecord): Promise<Response>;
}

/**
 * The first of several recordings of the same request answers the first time, the second the second time, and the
 * last one from then on.
 */
export function createReplayer(forest: RecordingForest): Replayer {
  const asked = new Map<string, number>();
  let index: Map<string, Exchange[]> | undefined;
  return {
    async answer(request, { timing = 'none' } = {}) {
      const { key } = toReplayRequest(request);
      index ??= await recordingsByKey(forest);
      // What was recorded since is looked for only where nothing else answers.
      if (!index.has(key)) index = await recordingsByKey(forest);
      const recordings = index.get(key) ?? [];
      const count = asked.get(key) ?? 0;
      const recording = recordings[Math.min(count, recordings.length - 1)];
      if (!recording) return undefined;
      asked.set(key, count + 1);
      if (recording.status === undefined) throw new TypeError(`fetch failed (as recorded): ${recording.error ?? ''}`);
      const { store } = forest;
      const { items } = await store.refs({ on: 'forest', keys: [recording.id], names: [PLACEMENT_REF] });
      const outcome = finalOutcome(recording, readPlacement(items[0]?.value));
      return createResponse({ ...recording, outcome }, await readResponseParts(store, recording.id), timing);
    },
    async refuse(request) {
      const asked = toReplayRequest(request);
      const { message, nearest } = await describeMiss(forest, asked);
      const { dialect: id } = readAddress(asked.method, asked.path);
      const error = { status: 404, code: MISS, message };
      const body = serving(id === undefined ? openaiChat : dialect(id)).errorBody(error);
      const skein = { code: MISS, ...(nearest !== undefined && { nearest }) };
      const headers = { 'content-type': 'application/json', 'x-skein-replay': 'miss' };
      return Response.json({ ...body, skein }, { status: 404, headers });
    },
  };
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
  /** Milliseconds from the request. */
  readonly after: number;
}

/** Pieces in their time; what was cut fails where it was cut. */
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
    // A failure throws away what waits to be read: so nothing waits.
    { highWaterMark: 0 },
  );
}

/** Event by event, as they once came, without waiting. */
function splitEvents(parts: readonly TimedPart[]): Piece[] {
  const bytes = new Uint8Array(Buffer.concat(parts.map((part) => part.bytes)));
  let at = 0;
  return eventEnds(bytes).map((end) => {
    const piece = { bytes: bytes.slice(at, end), after: 0 };
    at = end;
    return piece;
  });
}

/** Behind each blank line, and at the end. */
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

/** What is compared of a request that is to be answered from recordings. */
interface ReplayRequest {
  readonly method: string;
  readonly path: string;
  readonly key: string;
  readonly body: string;
}

/** No recording answers a request: which one comes nearest, and where they part. */
interface ReplayMiss {
  readonly nearest?: string;
  readonly message: string;
}

/** How many recordings are compared for a miss; the newest. */
const COMPARED = 200;

/** Every recording that has an answer, by what a replay compares and in recorded order. */
async function recordingsByKey(forest: RecordingForest): Promise<Map<string, Exchange[]>> {
  const found = new Map<string, Exchange[]>();
  for await (const exchange of everyExchange(forest)) {
    const { replayKey, outcome } = exchange;
    if (replayKey === undefined || outcome === 'open') continue;
    const same = found.get(replayKey);
    if (same) same.push(exchange);
    else found.set(replayKey, [exchange]);
  }
  return found;
}

/** Says what was asked for, what is there, and where the two part. */
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

/** How far two requests go together, and what comes then. */
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
      rank: PARTS.indexOf(part) * 1e6 + index,
      message: `they part at ${part}[${index}], recorded ${abbreviate(before)}, asked ${abbreviate(after)}.`,
    };
  } catch {
    return { rank: -1, message: 'the bodies cannot be compared.' };
  }
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
