import { describe, expect, it } from 'vitest';
import { streamError } from './error-body.ts';
import { DEFAULT_RETRY, readRetryAfter, responseError, retryWait } from './read-error.ts';

const ASKED = { provider: 'p', model: 'm', secrets: [] };

function errorOf(status: number, body: unknown, headers: Record<string, string> = {}) {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return responseError(new Response(null, { status, headers }), text, ASKED, 0);
}

const anthropic = (type: string, message: string) => ({ type: 'error', error: { type, message }, request_id: 'req_1' });
const openai = (message: string, type = 'invalid_request_error', code: string | null = null) => ({
  error: { message, type, param: null, code },
});
const google = (code: number, status: string, message: string, details?: unknown) => ({
  error: { code, status, message, ...(details ? { details } : {}) },
});

it('the headers that tell of rate limits are kept, and no others', () => {
  const headers = {
    'x-ratelimit-remaining-requests': '0',
    'anthropic-ratelimit-tokens-limit': '9',
    'set-cookie': 'a=b',
  };
  expect(errorOf(429, openai('slow down'), headers).rateLimits).toEqual({
    'anthropic-ratelimit-tokens-limit': '9',
    'x-ratelimit-remaining-requests': '0',
  });
});

describe('the code of an error', () => {
  it.each([
    [401, anthropic('authentication_error', 'invalid x-api-key'), 'authentication', false],
    [402, anthropic('billing_error', 'credit'), 'quota', false],
    [403, anthropic('permission_error', 'no'), 'permission', false],
    [404, anthropic('not_found_error', 'model: claude-sonet-4-5'), 'not_found', false],
    [409, anthropic('conflict_error', 'conflict'), 'conflict', true],
    [429, anthropic('rate_limit_error', 'slow down'), 'rate_limit', true],
    [500, anthropic('api_error', 'oops'), 'server', true],
    [529, anthropic('overloaded_error', 'Overloaded'), 'overloaded', true],
    [
      400,
      anthropic('invalid_request_error', 'prompt is too long: 210000 tokens > 200000 maximum'),
      'context_length',
      false,
    ],
    [400, anthropic('invalid_request_error', 'max_tokens: Field required'), 'invalid_request', false],
    [413, anthropic('request_too_large', 'Request exceeds the maximum size'), 'invalid_request', false],
    [401, openai('Incorrect API key provided', 'invalid_request_error', 'invalid_api_key'), 'authentication', false],
    [404, openai('The model `x` does not exist', 'invalid_request_error', 'model_not_found'), 'not_found', false],
    [
      400,
      openai("The requested model 'x' does not exist.", 'invalid_request_error', 'model_not_found'),
      'not_found',
      false,
    ],
    [429, openai('Rate limit reached', 'requests', 'rate_limit_exceeded'), 'rate_limit', true],
    [429, openai('You exceeded your current quota', 'insufficient_quota', 'insufficient_quota'), 'quota', false],
    [400, openai('Too many', 'invalid_request_error', 'context_length_exceeded'), 'context_length', false],
    [400, openai("This model's maximum context length is 8192 tokens."), 'context_length', false],
    [503, openai('The engine is currently overloaded', 'server_error'), 'server', true],
    [
      400,
      google(400, 'INVALID_ARGUMENT', 'API key not valid.', [{ reason: 'API_KEY_INVALID' }]),
      'authentication',
      false,
    ],
    [403, google(403, 'PERMISSION_DENIED', 'unregistered callers'), 'permission', false],
    [404, google(404, 'NOT_FOUND', 'models/x is not found'), 'not_found', false],
    [429, google(429, 'RESOURCE_EXHAUSTED', 'You exceeded your current quota'), 'rate_limit', true],
    [503, google(503, 'UNAVAILABLE', 'The model is overloaded.'), 'overloaded', true],
    [504, google(504, 'DEADLINE_EXCEEDED', 'Deadline expired'), 'timeout', true],
    [
      400,
      google(400, 'INVALID_ARGUMENT', 'The input token count (1200000) exceeds the maximum number of tokens allowed'),
      'context_length',
      false,
    ],
    [500, '<html><body>Internal</body></html>', 'server', true],
    [502, '', 'server', true],
    [408, '', 'timeout', true],
    [404, { error: "model 'x' not found" }, 'not_found', false],
    [422, { detail: [{ loc: ['body'], msg: 'bad' }] }, 'invalid_request', false],
    [418, 'null', 'invalid_request', false],
  ])('%i %j is %s', (status, body, code, retryable) => {
    expect(errorOf(status, body)).toMatchObject({ code, retryable, status });
  });

  it('and whether to try again is for the server to say, if it does', () => {
    expect(errorOf(500, '', { 'x-should-retry': 'false' }).retryable).toBe(false);
    expect(errorOf(400, '', { 'x-should-retry': 'true' }).retryable).toBe(true);
  });
});

describe('an error', () => {
  it('says what the API said, and keeps its exact text', () => {
    const text = '{"error": {"message":"No.", "seed":12345678901234567890}}';
    const error = errorOf(400, text, { 'x-request-id': 'req_7' });
    expect(error.message).toBe('p/m: No. (400, request req_7)');
    expect(error).toMatchObject({ rawBody: text, requestId: 'req_7', provider: 'p', model: 'm' });
  });

  it.each([
    [[google(400, 'INVALID_ARGUMENT', 'In a list.')], 'In a list.'],
    [{ object: 'error', message: 'Mistral says no.', code: '1500' }, 'Mistral says no.'],
    [{ error: 'Ollama says no.' }, 'Ollama says no.'],
    [{ message: { detail: [{ msg: 'Extra inputs' }] } }, '{"detail":[{"msg":"Extra inputs"}]}'],
    ['<html><style>p{}</style><h1>Bad   gateway</h1></html>', 'Bad gateway'],
    ['', 'no explanation'],
  ])('is read from %j', (body, message) => {
    expect(errorOf(400, body).message).toBe(`p/m: ${message} (400)`);
  });

  it('knows how long Google asks to wait', () => {
    const details = [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '34.07s' }];
    expect(errorOf(429, google(429, 'RESOURCE_EXHAUSTED', 'quota', details)).retryAfterMs).toBe(34_070);
  });

  it('of a redirect says where to, and nothing is sent there', () => {
    expect(errorOf(308, '', { location: 'https://elsewhere.example/v1' }).message).toContain('elsewhere.example');
  });

  it('in a stream has no status', () => {
    const busy = JSON.stringify(anthropic('overloaded_error', 'Overloaded'));
    expect(streamError(busy, ASKED)).toMatchObject({ code: 'overloaded', retryable: true, rawBody: busy });
    const failed = '{"type":"error","code":null,"message":"The server had an error"}';
    expect(streamError(failed, ASKED)).toMatchObject({ code: 'stream_error', retryable: true, status: undefined });
    expect(streamError('not json', ASKED)).toMatchObject({ code: 'stream_error', rawBody: 'not json' });
  });
});

const again = { retryable: true };

it('waits for a random part of a time that doubles, up to a limit', () => {
  const options = { ...DEFAULT_RETRY, maxRetries: 9 };
  const longest = [1, 2, 3, 4, 5, 6, 7].map((attempts) => retryWait(attempts, again, options, () => 1));
  expect(longest).toEqual([1000, 2000, 4000, 8000, 16_000, 30_000, 30_000]);
  expect(retryWait(3, again, options, () => 0)).toBe(0);
});

it('gives up after so many times, and on what will not change', () => {
  expect(retryWait(2, again, DEFAULT_RETRY, Math.random)).toBeDefined();
  expect(retryWait(3, again, DEFAULT_RETRY, Math.random)).toBeUndefined();
  expect(retryWait(1, { retryable: false, retryAfterMs: 1 }, DEFAULT_RETRY, Math.random)).toBeUndefined();
});

it.each([
  [{ 'retry-after-ms': '1500', 'retry-after': '9' }, 1500],
  [{ 'retry-after': '0.5' }, 500],
  [{ 'retry-after': 'Thu, 01 Jan 1970 00:00:10 GMT' }, 7000],
  [{ 'retry-after': 'Thu, 01 Jan 1970 00:00:01 GMT' }, 0],
  [{ 'retry-after': 'soon' }, undefined],
  [{ 'retry-after': '-5' }, undefined],
  [{}, undefined],
])('%j asks for %s ms', (headers, expected) => {
  expect(readRetryAfter(new Headers(headers as Record<string, string>), 3000)).toBe(expected);
});
