import type { ProviderErrorCode } from '../../error.ts';
import { isObject, type JsonObject } from '../../json/index.ts';
import { ProviderError, readRequestId } from './provider-error.ts';
import { redact } from './redact.ts';

/** What an error body says, whichever of the known shapes it has. */
export interface ErrorBody {
  readonly message: string | undefined;
  /** The API's own words for the kind of error: `overloaded_error`, `RESOURCE_EXHAUSTED`, `model_not_found`. */
  readonly words: readonly string[];
  /** How long to wait, where the body says so (`google.rpc.RetryInfo`). */
  readonly retryAfterMs: number | undefined;
}

export function readErrorBody(text: string): ErrorBody {
  const body = firstObject(parse(text));
  if (!body) return { message: undefined, words: [], retryAfterMs: undefined };
  const error = isObject(body.error) ? body.error : body;
  const details = Array.isArray(error.details) ? error.details.filter(isObject) : [];
  const words = [error.code, error.type, error.status, ...details.map((detail) => detail.reason)];
  return {
    message: findMessage(error, body),
    words: words.filter((word): word is string => typeof word === 'string' && word !== 'error'),
    retryAfterMs: retryDelay(details),
  };
}

/** Google puts errors into a list when a stream was asked for without `alt=sse`. */
function firstObject(value: unknown): JsonObject | undefined {
  const first: unknown = Array.isArray(value) ? value[0] : value;
  return isObject(first) ? first : undefined;
}

/** `{error:{message}}` (OpenAI, Anthropic, Google), `{error}` (Ollama), `{message}` (Mistral, Cerebras), `{detail}` (FastAPI). */
function findMessage(error: JsonObject, body: JsonObject): string | undefined {
  for (const candidate of [error.message, body.error, body.detail]) {
    if (typeof candidate === 'string' && candidate.trim() !== '') return candidate.trim();
    if (isObject(candidate) && candidate !== error) return JSON.stringify(candidate);
    if (Array.isArray(candidate)) return JSON.stringify(candidate);
  }
  return undefined;
}

function retryDelay(details: readonly JsonObject[]): number | undefined {
  const delay = details.map((detail) => detail.retryDelay).find((value) => typeof value === 'string');
  const seconds = typeof delay === 'string' ? /^(\d+(?:\.\d+)?)s$/.exec(delay)?.[1] : undefined;
  return seconds === undefined ? undefined : Math.round(Number(seconds) * 1000);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Words of the protocols and of those that are like them. */
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
  throttlingexception: 'rate_limit',
  modelnotreadyexception: 'overloaded',
  serviceunavailableexception: 'overloaded',
  accessdeniedexception: 'permission',
  servicequotaexceededexception: 'quota',
  modeltimeoutexception: 'timeout',
  unrecognizedclientexception: 'authentication',
  invalidsignatureexception: 'authentication',
  modelstreamerrorexception: 'server',
  modelerrorexception: 'server',
  internalserverexception: 'server',
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

/** The code for a status and a body; `undefined` as the status means that the error came in a stream. */
export function classifyError(status: number | undefined, { words, message = '' }: ErrorBody): ProviderErrorCode {
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

/** Which model of which provider got the request, and what an error must not show of it. */
export interface ErrorContext {
  readonly provider: string;
  readonly model: string;
  readonly secrets: readonly string[];
}

/**
 * The error that an event reports, in a stream that began well. Give `response` where the whole body reports it.
 *
 * @example
 * for (const event of reader.push(name, data))
 *   if (event.type === 'error') throw streamError(event.native, { provider: 'openai', model: 'gpt-5.5' });
 */
export function streamError(
  data: string,
  context: Omit<ErrorContext, 'secrets'> & Partial<ErrorContext>,
  response?: Response,
): ProviderError {
  const { provider, model, secrets = [] } = context;
  const body = readErrorBody(data);
  const code = classifyError(undefined, body);
  const problem = body.message ?? (summarizeText(data) || 'no explanation');
  return new ProviderError(redact(`${problem} ${response ? describeResponse(response) : '(in the stream)'}`, secrets), {
    provider,
    model,
    code,
    ...(response && { status: response.status, requestId: readRequestId(response.headers) }),
    // An error without an explanation may be gone the next time.
    retryable: code === 'stream_error' || isRetryable(undefined, code),
    rawBody: redact(data, secrets),
    retryAfterMs: body.retryAfterMs,
  });
}

/** The status and request id that stand behind the message of an error. */
export function describeResponse({ status, headers }: Response): string {
  const requestId = readRequestId(headers);
  return `(${status}${requestId ? `, request ${requestId}` : ''})`;
}

/** The beginning of a text that is not JSON, such as a proxy's page, without its markup. */
export function summarizeText(text: string): string {
  return text
    .slice(0, 2000)
    .replace(/<(style|script)[\s\S]*?<\/\1>|<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, 200);
}
