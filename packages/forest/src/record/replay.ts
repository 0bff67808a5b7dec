import type { Exchange } from './exchange.ts';
import { describeMiss, type RequestToReplay, recordingsByKey } from './find-recording.ts';
import { outcomeOf, readLanding } from './landing.ts';
import { readResponse } from './read-parts.ts';
import type { RecordingForest } from './recorder.ts';
import { LANDED } from './write-tree.ts';

/** Answers requests from recordings. */
export interface Replayer {
  /** The next recorded answer to this request; undefined when there is none. */
  answer(request: RequestToReplay): Promise<Response | undefined>;
  /** What a provider would say of something that does not exist: clients show its text and do not try again. */
  refuse(request: RequestToReplay, dialect: string | undefined): Promise<Response>;
}

/**
 * The first of several recordings of the same request answers the first time, the second the second time, and the
 * last one from then on.
 */
export function createReplayer(forest: RecordingForest): Replayer {
  const asked = new Map<string, number>();
  let index: Map<string, Exchange[]> | undefined;
  return {
    async answer({ key }) {
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
      const { items } = await store.refs({ on: 'forest', keys: [recording.id], names: [LANDED] });
      const outcome = outcomeOf(recording, readLanding(items[0]?.value));
      return responseOf({ ...recording, outcome }, await readResponse(store, recording.id));
    },
    async refuse(request, dialect) {
      const { message, nearest } = await describeMiss(forest, request);
      const headers = { 'content-type': 'application/json', 'x-skein-replay': 'miss' };
      return Response.json(missBody(dialect, message, nearest), { status: 404, headers });
    },
  };
}

function responseOf({ status, responseHeaders = {}, outcome, error }: Exchange, bytes: Uint8Array): Response {
  const headers = { ...responseHeaders, 'x-skein-replay': 'hit' };
  const isEmpty = status === 204 || status === 205 || status === 304;
  return new Response(
    isEmpty ? null : streamOf(bytes, outcome === 'cut' ? (error ?? 'the answer ended early') : undefined),
    {
      status: status!,
      headers,
    },
  );
}

/** Events one by one, as they once came; what was cut fails where it was cut. */
function streamOf(bytes: Uint8Array, failure: string | undefined): ReadableStream<Uint8Array> {
  const ends = eventEnds(bytes);
  let at = 0;
  return new ReadableStream({
    pull(controller) {
      const end = ends.shift();
      if (end !== undefined) {
        controller.enqueue(bytes.slice(at, end));
        at = end;
      } else if (failure === undefined) controller.close();
      else controller.error(new TypeError(`terminated (as recorded): ${failure}`));
    },
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

function missBody(dialect: string | undefined, message: string, nearest: string | undefined): object {
  const skein = { code: 'replay_miss', ...(nearest !== undefined && { nearest }) };
  if (dialect === 'anthropic-messages') return { type: 'error', error: { type: 'not_found_error', message }, skein };
  if (dialect === 'google-generatecontent') return { error: { code: 404, message, status: 'NOT_FOUND' }, skein };
  return { error: { message, type: 'invalid_request_error', param: null, code: 'replay_miss' }, skein };
}
