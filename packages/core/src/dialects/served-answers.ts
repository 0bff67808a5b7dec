import type { ProviderErrorCode } from '../error.ts';
import { findMembers, type JsonObject } from '../json/index.ts';
import type { Usage } from './reply.ts';
import type { ServedError } from './serve.ts';

/** What a vendor's API answers beside replies, in the form that its SDKs read: failures, models, token counts. */
export interface ServedAnswers {
  /** A failure with the status, the code and the words that SDKs and agents act on. */
  failure(failure: ServedFailure): ServedError;
  /** The list of models, paged as the query asks. */
  modelList(models: readonly ServedModel[], query: URLSearchParams): JsonObject;
  modelBody(model: ServedModel): JsonObject;
  /** Absent where the API counts no tokens. */
  readonly counting?: TokenCountOperation;
  /** Absent where the API compacts no conversations. */
  readonly compacting?: CompactionOperation;
}

/** Why a request was not answered. */
export interface ServedFailure {
  readonly kind: ProviderErrorCode;
  readonly message: string;
  /** The status that whoever failed answered with. */
  readonly status?: number | undefined;
  /** Of a request that is too long: how many tokens it has, and how many the model takes. */
  readonly tokens?: { readonly given: number; readonly limit: number } | undefined;
  /** The member of the request that is wrong. */
  readonly param?: string | undefined;
  /** The API's own word for the failure, where it has one that its kind does not tell. */
  readonly word?: string | undefined;
  readonly retryAfterMs?: number | undefined;
}

/** A model that clients can ask for. */
export interface ServedModel {
  /** The name to ask for. */
  readonly id: string;
  readonly contextTokens?: number | undefined;
  readonly maxOutputTokens?: number | undefined;
}

/** How an API counts the tokens of a request. */
export interface TokenCountOperation {
  /** The request whose tokens a client wants to know, from the body of its question. */
  toRequest(body: string): string;
  /** The answer to a client. */
  write(tokens: number): JsonObject;
  /** The path of the question at the vendor, from the path of a request. */
  path(path: string): string;
  /** The body of the question, from that of the request; `model` as the vendor knows it. */
  toBody(request: string, model: string): string;
  /** The vendor's answer; anything but a number counts as none. */
  read(answer: JsonObject): unknown;
}

/** How an API hands out a shortened conversation, which clients send back in place of the long one. */
export interface CompactionOperation {
  /** The path of the question at the vendor, from the path of a request. */
  path(path: string): string;
  /** The answer to a client whose conversation was summed up. `request` is its question. */
  write(summary: string, request: JsonObject, head: CompactionHead): JsonObject;
  /** A request with the summaries that `write` handed out as plain messages. */
  expand(request: string): string;
}

/** What the answer to a compaction says of itself. */
export interface CompactionHead {
  /** Letters, digits and underscores. */
  readonly id: string;
  /** Seconds since 1970. */
  readonly created: number;
  readonly usage: Usage | undefined;
}

const STATUSES: Readonly<Record<ProviderErrorCode, number>> = {
  authentication: 401,
  permission: 403,
  quota: 429,
  not_found: 404,
  rate_limit: 429,
  overloaded: 503,
  context_length: 400,
  conflict: 409,
  invalid_request: 400,
  server: 500,
  timeout: 504,
  connection: 502,
  aborted: 499,
  stream_error: 502,
  not_this_protocol: 502,
};

/** The status of a failure: the usual one of its kind, or the vendor's own. A body that is too large keeps its own. */
export function failureStatus(
  { kind, status }: ServedFailure,
  own: Readonly<Partial<Record<ProviderErrorCode, number>>> = {},
): number {
  if (kind === 'invalid_request' && status === 413) return 413;
  return own[kind] ?? STATUSES[kind];
}

/** The text of an object with these members only, each in its exact text. */
export function keepMembers(object: string, names: readonly string[]): string {
  const kept = findMembers(object).filter(({ name }) => names.includes(name));
  return `{${kept.map(({ name, start, end }) => `${JSON.stringify(name)}:${object.slice(start, end)}`).join(',')}}`;
}
