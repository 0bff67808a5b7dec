import type { Forest } from '../forest/types.ts';
import { sha256, unpackBytes } from '../model/index.ts';
import { issuerAt, providerAt, readAddress } from './address.ts';
import type { Exchange } from './exchange.ts';
import { projectorOf } from './projector.ts';
import { createRecording, type Recording } from './recording.ts';
import { replayKey } from './replay-key.ts';
import { safeHeaders, safeQuery, secretsOf, withoutSecrets } from './safe-parts.ts';

export interface RecorderOptions {
  /** Told of whatever could not be stored or placed in the tree. The exchange itself never notices. */
  readonly onError?: (error: unknown) => void;
}

/** A request as it is sent. */
export interface RequestToRecord {
  readonly method: string;
  readonly url: string;
  readonly headers: Headers;
  /** Absent when there is none, or when it could not be read without changing it. */
  readonly body?: string | Uint8Array;
  /** Which provider it goes to; default: by its host, else by what is spoken there. */
  readonly provider?: string;
  /** Who can read the opaque parts of the reply; default: by its host. */
  readonly issuer?: string;
  readonly tags?: readonly string[];
  /** The name of the conversation it belongs to; default: found by its history. */
  readonly thread?: string;
}

/** What a recorder writes to. */
export type RecordingForest = Pick<Forest, 'store' | 'clock'>;

/** Writes down exchanges while they happen. None of its methods throws, waits or delays. */
export interface Recorder {
  begin(request: RequestToRecord): Recording;
  /** When everything that has ended is stored and has its place in the tree. */
  settled(): Promise<void>;
}

export function createRecorder(forest: RecordingForest, { onError = () => undefined }: RecorderOptions = {}): Recorder {
  const { store, clock } = forest;
  const projector = projectorOf(forest);
  const underWay = new Set<Promise<unknown>>();
  const report = (error: unknown) => {
    try {
      onError(error);
    } catch {
      // Whoever listens is not part of the exchange.
    }
  };
  const track = (work: Promise<unknown>) => {
    const watched = work.catch(report).finally(() => underWay.delete(watched));
    underWay.add(watched);
  };

  return {
    begin(request) {
      const url = new URL(request.url);
      const { headers } = request;
      const secrets = secretsOf(url, headers);
      const body = cleanBody(request.body, secrets);
      const id = clock.tick();
      const exchange: Exchange = {
        id,
        start: clock.now(),
        method: request.method,
        host: url.host,
        path: withoutSecrets(url.pathname, secrets),
        query: safeQuery(url),
        ...describe(url, request),
        requestHeaders: safeHeaders(headers),
        outcome: 'open',
        ...(body?.redacted && { redacted: true }),
        tags: request.tags ?? [],
        ...(request.thread !== undefined && { thread: request.thread }),
        writer: store.writer,
      };
      const ended = (work: Promise<unknown>) => track(work.then(() => projector.run()));
      // Hashing a long history takes time: not while the request waits to be sent.
      const hashes = () => ({
        ...(body && { requestSha256: sha256(body.text) }),
        replayKey: replayKey(request.method, url, body?.text ?? ''),
      });
      return createRecording({ store, clock, secrets, track, ended, hashes }, exchange, body?.bytes);
    },
    async settled() {
      while (underWay.size > 0) await Promise.all(underWay);
    },
  };
}

function describe(url: URL, { method, provider, issuer, body }: RequestToRecord) {
  const { kind, dialect, model = modelIn(body), responseId } = readAddress(method, url.pathname);
  const descriptor = providerAt(url, dialect);
  const name = provider ?? descriptor?.id;
  return {
    kind,
    ...(dialect !== undefined && { dialect }),
    ...(name !== undefined && { provider: name }),
    issuer: issuer ?? issuerAt(url, descriptor),
    ...(model !== undefined && kind === 'generate' && { model }),
    ...(responseId !== undefined && { responseId }),
  };
}

/** Near the front of most bodies; a body is not parsed while a client waits. */
function modelIn(body: string | Uint8Array | undefined): string | undefined {
  const front = typeof body === 'string' ? body.slice(0, 4096) : Buffer.from(body?.subarray(0, 4096) ?? []).toString();
  return /"model"\s*:\s*"([^"\\]{1,200})"/.exec(front)?.[1];
}

function cleanBody(body: string | Uint8Array | undefined, secrets: readonly string[]) {
  if (body === undefined) return undefined;
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body.slice();
  const text = Buffer.from(bytes).toString('latin1');
  const isClean = !secrets.some((secret) => text.includes(Buffer.from(secret).toString('latin1')));
  if (isClean) return { bytes, text: textOf(bytes), redacted: false };
  const clean = withoutSecrets(Buffer.from(bytes).toString(), secrets);
  return { bytes: unpackBytes({ text: clean })!, text: clean, redacted: true };
}

function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('utf8');
}
