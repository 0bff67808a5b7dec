import { isObject, type JsonObject } from '../../json/index.ts';

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
    message: messageOf(error, body),
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
function messageOf(error: JsonObject, body: JsonObject): string | undefined {
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
