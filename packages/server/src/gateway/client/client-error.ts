import {
  isSkeinError,
  modelInfo,
  ProviderError,
  type ProviderErrorCode,
  provider,
  SkeinError,
  type SkeinErrorCode,
} from '@skein/core';
import type { ServedError, ServedFailure } from '@skein/core/dialect';
import { toProblem } from '../../http/problem.ts';
import type { ClientCall } from './client-call.ts';

/** An error as the client gets it. */
interface ClientError {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Writes any error in the client's protocol, with what its SDK needs to decide whether it asks again. */
export function writeClientError({ server, api }: Pick<ClientCall, 'server' | 'api'>, error: unknown): ClientError {
  const served = describeClientError({ api }, error);
  return {
    status: served.status,
    headers: retryHeaders(served, error),
    body: JSON.stringify(server.errorBody(served)),
  };
}

/** What the client is told of an error, in the words of its vendor: for a body, or for the middle of a stream. */
export function describeClientError({ api }: Pick<ClientCall, 'api'>, error: unknown): ServedError {
  const failure = toFailure(error);
  const served = api.failure(failure);
  // A refusal of ours has the status that it was given.
  return error instanceof ClientRefusal && failure.kind === 'invalid_request'
    ? { ...served, status: error.status }
    : served;
}

/** Whether an error is a fault of ours, so that the client is told nothing of it and the log everything. */
export function isFault(error: unknown): boolean {
  return !(error instanceof ProviderError || error instanceof ClientRefusal) && kindOf(error) === 'server';
}

function toFailure(error: unknown): ServedFailure {
  if (error instanceof ProviderError) {
    const { code, message, status, retryAfterMs } = error;
    // Some vendors have no word for it.
    const kind = status === 503 || status === 529 ? 'overloaded' : code;
    return { kind, message, status, retryAfterMs, ...(kind === 'context_length' && { tokens: readTokens(error) }) };
  }
  if (error instanceof ClientRefusal) {
    const { message, status, word, param, retryAfterMs } = error;
    return { kind: KIND_BY_STATUS[status] ?? 'invalid_request', message, status, word, param, retryAfterMs };
  }
  const kind = kindOf(error);
  const isTold = isSkeinError(error) && kind !== 'server';
  const { message, status } = toProblem(error);
  return { kind, message: isTold ? error.message : message, status };
}

const KIND_BY_STATUS: Readonly<Record<number, ProviderErrorCode>> = {
  401: 'authentication',
  403: 'permission',
  404: 'not_found',
  409: 'conflict',
  429: 'rate_limit',
  503: 'overloaded',
};

/** What our own errors are to a client. */
const KINDS: Readonly<Partial<Record<SkeinErrorCode, ProviderErrorCode>>> = {
  token_needed: 'authentication',
  missing_key: 'authentication',
  missing_base_url: 'authentication',
  too_many_attempts: 'rate_limit',
  wrong_host: 'permission',
  wrong_origin: 'permission',
  bad_model: 'not_found',
  no_such_route: 'not_found',
  unknown_provider: 'not_found',
  would_lose: 'invalid_request',
  nothing_to_send: 'invalid_request',
  not_this_protocol: 'invalid_request',
  store_full: 'overloaded',
  store_unreachable: 'overloaded',
};

function kindOf(error: unknown): ProviderErrorCode {
  if (!isSkeinError(error)) return 'server';
  return KINDS[error.code] ?? (toProblem(error).status < 500 ? 'invalid_request' : 'server');
}

/** How vendors say how long a request is, and how long it may be. */
const LENGTHS: readonly RegExp[] = [
  /(?<given>\d+) tokens > (?<limit>\d+)/,
  /context length is (?<limit>\d+) tokens.*?(?:resulted in|requested|contains?(?: at least)?) (?<given>\d+)/s,
  /token count \(?(?<given>\d+)\)? exceeds .*?\(?(?<limit>\d+)\)?\.?/s,
  /\((?<given>\d+) tokens\).*?context (?:size|window|length) \(?(?<limit>\d+)/s,
];

/** The numbers that the provider gives; otherwise the limit that is known of the model, and the least that exceeds it. */
function readTokens({ message, rawBody = '', provider: id, model }: ProviderError): ServedFailure['tokens'] {
  const text = `${message}\n${rawBody}`.replace(/(?<=\d),(?=\d{3})/g, '');
  for (const pattern of LENGTHS) {
    const { given, limit } = pattern.exec(text)?.groups ?? {};
    if (given !== undefined && limit !== undefined) return { given: Number(given), limit: Number(limit) };
  }
  const limit = knownLimit(id, model);
  return limit === undefined ? undefined : { given: limit + 1, limit };
}

function knownLimit(id: string, model: string): number | undefined {
  try {
    return modelInfo(provider(id), model).contextTokens;
  } catch (error) {
    if (isSkeinError(error, 'unknown_provider')) return undefined;
    throw error;
  }
}

/** SDKs do not wait longer than this, and would ask again at once. */
const LONGEST_WAIT_MS = 60_000;

function retryHeaders({ status, retryAfterMs }: ServedError, error: unknown): Record<string, string> {
  const isRetried = status === 408 || status === 409 || status === 429 || status >= 500;
  const isUseless =
    (error instanceof ProviderError && !error.retryable) ||
    (retryAfterMs !== undefined && retryAfterMs > LONGEST_WAIT_MS);
  return {
    ...(error instanceof ProviderError && error.rateLimits),
    ...(retryAfterMs !== undefined && { 'retry-after': String(Math.ceil(retryAfterMs / 1000)) }),
    ...(isRetried && isUseless && { 'x-should-retry': 'false' }),
  };
}

/** How a refusal differs from a plain 400. */
interface RefusalFacts {
  readonly status?: number;
  readonly code?: SkeinErrorCode;
  /** The vendor's own word for it, such as `thread_unsupported_request`. */
  readonly word?: string;
  /** The member of the request that is refused. */
  readonly param?: string;
  readonly retryAfterMs?: number;
}

/**
 * A request that the gateway refuses, because it must not or cannot do what the client's program relies on. The client is
 * told in the form of its own protocol.
 */
export class ClientRefusal extends SkeinError {
  override readonly name = 'ClientRefusal';
  readonly code: SkeinErrorCode;
  readonly status: number;
  readonly word: string | undefined;
  readonly param: string | undefined;
  readonly retryAfterMs: number | undefined;

  constructor(
    message: string,
    { status = 400, code = 'invalid_request', word, param, retryAfterMs }: RefusalFacts = {},
  ) {
    super(message);
    this.code = code;
    this.status = status;
    this.word = word;
    this.param = param;
    this.retryAfterMs = retryAfterMs;
  }
}
