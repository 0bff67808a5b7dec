import { providers } from '@skein/core';
import { sha256 } from '../model/index.ts';
import { secretsOf, withoutSecrets } from '../model/secrets.ts';
import { issuerAt, providerAt, readAddress } from './address.ts';
import type { Exchange } from './exchange.ts';
import { type HintPlaces, readHints } from './hints.ts';
import type { RequestToRecord } from './recorder.ts';
import { replayKey } from './replay-key.ts';
import { safeHeaders, safeQuery } from './safe-parts.ts';

/** A request as it is stored. */
export interface DescribedRequest {
  readonly exchange: Exchange;
  /** What it was signed with, to be looked for in whatever is stored. */
  readonly secrets: readonly string[];
  /** Undefined when there is none, or it was not kept. */
  readonly body: Uint8Array | undefined;
  /** Hashing a long history takes time, so it is done once, at the end. */
  hashes(): Pick<Exchange, 'requestSha256' | 'replayKey'>;
}

export function describeRequest(
  request: RequestToRecord,
  begun: Pick<Exchange, 'id' | 'start' | 'writer'>,
  places?: HintPlaces,
): DescribedRequest {
  const url = new URL(request.url);
  const secrets = secretsOf(url, request.headers);
  const body = cleanBody(request.body, secrets);
  const hints = readHints(request.headers, bodyText(request.hintBody ?? request.body), places);
  const name = readThreadName(request.thread);
  const exchange: Exchange = {
    ...begun,
    method: request.method,
    host: url.host,
    path: withoutSecrets(url.pathname, secrets),
    query: safeQuery(url),
    ...whoIsAsked(url, request),
    requestHeaders: safeHeaders(request.headers),
    outcome: 'open',
    ...(body?.redacted && { redacted: true }),
    tags: request.tags ?? [],
    ...name,
    ...(hints && { hints }),
  };
  return {
    exchange,
    secrets,
    body: body?.bytes,
    hashes: () => ({
      ...(body && { requestSha256: sha256(textOf(body.bytes)) }),
      replayKey: replayKey(request.method, url, body ? textOf(body.bytes) : ''),
    }),
  };
}

/** A name that cannot be used is left out, and the exchange says so: the client is answered all the same. */
function readThreadName(given: string | undefined): Pick<Exchange, 'thread' | 'notes'> {
  const name = given?.trim();
  if (name === undefined || name === '') return {};
  if (name.length <= LONGEST_NAME && !/\p{Cc}/u.test(name)) return { thread: name };
  return {
    notes: [
      `x-skein-thread was ignored: a name has at most ${LONGEST_NAME} characters and no control characters. The conversation was placed by its history.`,
    ],
  };
}

const LONGEST_NAME = 200;

function bodyText(body: string | Uint8Array | undefined): string {
  return typeof body === 'string' ? body : textOf(body ?? new Uint8Array());
}

function whoIsAsked(url: URL, { method, provider, issuer, body }: RequestToRecord) {
  const spoken = provider === undefined ? undefined : providers().find(({ id }) => id === provider)?.dialect;
  const { kind, dialect, model = modelIn(body), responseId } = readAddress(method, url.pathname, spoken);
  const descriptor = provider === undefined || issuer === undefined ? providerAt(url, dialect) : undefined;
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
  const front = typeof body === 'string' ? body.slice(0, 4096) : textOf(body?.subarray(0, 4096) ?? new Uint8Array());
  return /"model"\s*:\s*"([^"\\]{1,200})"/.exec(front)?.[1];
}

function cleanBody(body: string | Uint8Array | undefined, secrets: readonly string[]) {
  if (body === undefined) return undefined;
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  const text = textOf(bytes);
  const clean = withoutSecrets(text, secrets);
  return clean === text ? { bytes, redacted: false } : { bytes: Buffer.from(clean), redacted: true };
}

function textOf({ buffer, byteOffset, byteLength }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString('utf8');
}
