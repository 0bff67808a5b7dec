import {
  anthropicMessages,
  type Dialect,
  googleGenerateContent,
  openaiChat,
  openaiResponses,
  ProviderError,
  type ProviderErrorCode,
} from '@skein/core';
import { serving } from '@skein/core/dialect';
import { expect, test } from 'vitest';
import { Problem } from '../../http/problem.ts';
import { ClientRefusal, isFault, writeClientError } from './client-error.ts';

const upstream = (code: ProviderErrorCode, message: string, more: object = {}) =>
  new ProviderError(message, { code, provider: 'openai', model: 'gpt-5.2', retryable: false, ...more });

const told = (dialect: Dialect, error: unknown) => {
  const server = serving(dialect);
  const { status, headers, body } = writeClientError({ server, api: server.api! }, error);
  return { status, headers, body: JSON.parse(body) };
};

const LONG = upstream('context_length', 'prompt is too long: 210000 tokens > 200000 maximum', { status: 400 });

test('a conversation that is too long is told in the words that each client acts on', () => {
  expect(told(anthropicMessages, LONG)).toMatchObject({
    status: 400,
    body: {
      type: 'error',
      error: { type: 'invalid_request_error', message: 'prompt is too long: 210000 tokens > 200000 maximum' },
    },
  });
  const exceeded = { type: 'invalid_request_error', code: 'context_length_exceeded' };
  expect(told(openaiChat, LONG)).toMatchObject({ status: 400, body: { error: { ...exceeded, param: 'messages' } } });
  expect(told(openaiResponses, LONG)).toMatchObject({ status: 400, body: { error: { ...exceeded, param: 'input' } } });
  expect(told(openaiChat, LONG).body.error.message).toMatch(/maximum context length is 200000 tokens.* 210000 tokens/);
  expect(told(googleGenerateContent, LONG).body.error).toEqual({
    code: 400,
    status: 'INVALID_ARGUMENT',
    message: 'The input token count (210000) exceeds the maximum number of tokens allowed (200000).',
  });
});

test.each([
  [`This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.`, 9000, 8192],
  ['The input token count (1,100,000) exceeds the maximum number of tokens allowed (1,048,576).', 1100000, 1048576],
  ['the request exceeds the available context size: request (5000 tokens), context size (4096 tokens)', 5000, 4096],
])('the numbers are those of the provider: %s', (message, given, limit) => {
  expect(told(anthropicMessages, upstream('context_length', message)).body.error.message).toBe(
    `prompt is too long: ${given} tokens > ${limit} maximum`,
  );
});

test('where the provider gives no numbers, the limit is what is known of the model, or left out', () => {
  const silent = upstream('context_length', 'Your input exceeds the context window of this model.');
  expect(told(anthropicMessages, silent).body.error.message).toBe('prompt is too long: 400001 tokens > 400000 maximum');
  const unknown = new ProviderError('too long', {
    code: 'context_length',
    provider: 'nobody',
    model: 'x',
    retryable: false,
  });
  expect(told(anthropicMessages, unknown).body.error.message).toBe('prompt is too long');
  expect(told(openaiChat, unknown).body.error.message).toMatch(/exceeds the context window/);
});

test('overload has a status that the SDK of the client retries', () => {
  const overloads = [
    upstream('overloaded', 'Overloaded', { status: 529, retryable: true }),
    // OpenAI has no word for it.
    upstream('server', 'The engine is currently overloaded', { status: 503, retryable: true }),
  ];
  for (const error of overloads) {
    expect(told(anthropicMessages, error)).toMatchObject({
      status: 529,
      headers: {},
      body: { error: { type: 'overloaded_error' } },
    });
    expect(told(openaiChat, error)).toMatchObject({ status: 503, body: { error: { type: 'server_error' } } });
    expect(told(googleGenerateContent, error)).toMatchObject({
      status: 503,
      body: { error: { status: 'UNAVAILABLE' } },
    });
  }
});

test('a rate limit keeps its wait and its headers; an empty account is not asked again', () => {
  const limited = upstream('rate_limit', 'slow down', {
    status: 429,
    retryable: true,
    retryAfterMs: 2500,
    rateLimits: { 'x-ratelimit-remaining-requests': '0' },
  });
  const headers = { 'retry-after': '3', 'x-ratelimit-remaining-requests': '0' };
  expect(told(openaiChat, limited)).toMatchObject({ status: 429, headers });
  expect(told(openaiChat, limited).body.error).toMatchObject({ code: 'rate_limit_exceeded' });
  expect(told(anthropicMessages, limited)).toMatchObject({ headers, body: { error: { type: 'rate_limit_error' } } });
  expect(told(googleGenerateContent, limited).body.error).toMatchObject({
    status: 'RESOURCE_EXHAUSTED',
    details: [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '2.5s' }],
  });
  const empty = upstream('quota', 'You exceeded your current quota', { status: 429 });
  expect(told(openaiChat, empty)).toMatchObject({
    status: 429,
    headers: { 'x-should-retry': 'false' },
    body: { error: { type: 'insufficient_quota', code: 'insufficient_quota' } },
  });
  expect(told(anthropicMessages, empty)).toMatchObject({ status: 402, body: { error: { type: 'billing_error' } } });
});

test('failures of the way to the provider are retried, and say which one it was', () => {
  const cut = upstream('connection', 'the connection failed: ECONNREFUSED', { retryable: true });
  expect(told(anthropicMessages, cut)).toMatchObject({
    status: 502,
    headers: {},
    body: { error: { type: 'api_error' } },
  });
  expect(told(openaiChat, cut).body.error.message).toContain('openai/gpt-5.2');
  expect(told(googleGenerateContent, upstream('timeout', 'late', { retryable: true })).body.error.status).toBe(
    'DEADLINE_EXCEEDED',
  );
});

test('our own refusals: the token, the model, a parameter, the strict mode', () => {
  const needed = new Problem('token_needed', 'Give the token.');
  expect(told(anthropicMessages, needed)).toMatchObject({
    status: 401,
    body: { error: { type: 'authentication_error' } },
  });
  expect(told(openaiChat, needed).body.error.code).toBe('invalid_api_key');
  const unknown = new ClientRefusal('The model `x` does not exist.', { status: 404 });
  expect(told(openaiChat, unknown)).toMatchObject({ status: 404, body: { error: { code: 'model_not_found' } } });
  expect(told(googleGenerateContent, unknown)).toMatchObject({ status: 404, body: { error: { status: 'NOT_FOUND' } } });
  const refused = new ClientRefusal('logprobs are not available.', {
    param: 'logprobs',
    word: 'unsupported_parameter',
  });
  expect(told(openaiChat, refused).body.error).toEqual({
    message: 'logprobs are not available.',
    type: 'invalid_request_error',
    param: 'logprobs',
    code: 'unsupported_parameter',
  });
  expect(told(openaiChat, new ClientRefusal('too large', { status: 413 })).status).toBe(413);
  expect(told(anthropicMessages, new Problem('too_large', 'x'))).toMatchObject({
    status: 413,
    body: { error: { type: 'request_too_large' } },
  });
});

test('a budget that is used up until tomorrow is not asked again by SDKs', () => {
  const spent = new ClientRefusal('The budget is used up.', { status: 429, retryAfterMs: 3_600_000 });
  expect(told(anthropicMessages, spent)).toMatchObject({
    status: 429,
    headers: { 'retry-after': '3600', 'x-should-retry': 'false' },
    body: { error: { type: 'rate_limit_error' } },
  });
});

test('a fault of ours is told without details', () => {
  const fault = new TypeError('secret detail');
  expect(isFault(fault)).toBe(true);
  expect(isFault(LONG)).toBe(false);
  expect(isFault(new Problem('token_needed', 'x'))).toBe(false);
  const { status, body } = told(openaiChat, fault);
  expect(status).toBe(500);
  expect(JSON.stringify(body)).not.toContain('secret');
});
