import type { ProviderErrorCode } from '../../error.ts';
import type { ErrorBody } from './error-body.ts';

/** Words of the four protocols and of those that are like them. */
const BY_WORD: Readonly<Record<string, ProviderErrorCode>> = {
  authentication_error: 'authentication',
  invalid_api_key: 'authentication',
  unauthenticated: 'authentication',
  api_key_invalid: 'authentication',
  permission_error: 'permission',
  permission_denied: 'permission',
  billing_error: 'quota',
  insufficient_quota: 'quota',
  insufficient_balance: 'quota',
  not_found_error: 'not_found',
  model_not_found: 'not_found',
  not_found: 'not_found',
  rate_limit_error: 'rate_limit',
  rate_limit_exceeded: 'rate_limit',
  resource_exhausted: 'rate_limit',
  overloaded_error: 'overloaded',
  unavailable: 'overloaded',
  server_is_overloaded: 'overloaded',
  context_length_exceeded: 'context_length',
  exceed_context_size_error: 'context_length',
  conflict_error: 'conflict',
  api_error: 'server',
  server_error: 'server',
  internal: 'server',
  timeout_error: 'timeout',
  deadline_exceeded: 'timeout',
};

/** Not every API has a word for it. */
const TOO_LONG =
  /prompt is too long|exceed(s|ed)? (the )?(model's )?(available )?context|maximum (context|prompt) length|context (window|limit|length)|input token count.*exceeds/i;

const BY_STATUS: Readonly<Record<number, ProviderErrorCode>> = {
  401: 'authentication',
  402: 'quota',
  403: 'permission',
  404: 'not_found',
  408: 'timeout',
  409: 'conflict',
  429: 'rate_limit',
  503: 'overloaded',
  504: 'timeout',
  529: 'overloaded',
};

export function codeOf(status: number | undefined, { words, message = '' }: ErrorBody): ProviderErrorCode {
  const told = words.map((word) => BY_WORD[word.toLowerCase()]).find((code) => code !== undefined);
  const refused = status === undefined || status === 400 || status === 413 || status === 422;
  // Ahead of the words, since these say no more than that the request is invalid.
  if (refused && told !== 'rate_limit' && TOO_LONG.test(message)) return 'context_length';
  if (told) return told;
  if (status === undefined) return 'stream_error';
  return BY_STATUS[status] ?? (status >= 500 ? 'server' : 'invalid_request');
}

const PASSING: ReadonlySet<ProviderErrorCode> = new Set(['rate_limit', 'overloaded', 'server', 'timeout', 'conflict']);
const LASTING: ReadonlySet<ProviderErrorCode> = new Set(['authentication', 'permission', 'quota', 'context_length']);

/** Whether the same request may succeed later. */
export function isRetryable(status: number | undefined, code: ProviderErrorCode): boolean {
  if (status === undefined) return PASSING.has(code);
  return (status === 408 || status === 409 || status === 429 || status >= 500) && !LASTING.has(code);
}
