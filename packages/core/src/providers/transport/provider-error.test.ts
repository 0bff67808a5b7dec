import { expect, test, vi } from 'vitest';
import { openai } from '../../dialects/openai-responses/provider.ts';
import { deliverExchange as exchange } from './deliver.ts';
import { FakeClock, settle } from './test-clock.ts';

vi.mock('./read-error.ts', () => {
  throw new Error('Failed to fetch dynamically imported module');
});

const KEY = 'sk-very-secret-0123456789';
const options = { provider: openai, model: 'm', body: '{}', key: KEY, env: {}, retry: false, stream: false } as const;

async function failureOf(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
}

test('without a network, where the words for it cannot be loaded, a failure is still of its kind', async () => {
  const fetch = async () => {
    throw new TypeError(`Failed to fetch with ${KEY}`);
  };
  const error = await failureOf(exchange({ ...options, fetch }));
  expect(error).toMatchObject({ name: 'ProviderError', code: 'connection', retryable: true, provider: 'openai' });
  expect(String(error)).not.toContain(KEY);
});

test('so is a time limit', async () => {
  const clock = new FakeClock();
  const fetch = () => new Promise<Response>(() => {});
  const work = failureOf(exchange({ ...options, fetch, clock, timeouts: { connectMs: 1000 } }));
  await settle();
  clock.next();
  expect(await work).toMatchObject({ code: 'timeout', retryable: true });
});

test('so is an abort, and it waits for nothing', async () => {
  const stopping = new AbortController();
  const fetch = () => new Promise<Response>(() => {});
  const work = failureOf(exchange({ ...options, fetch, signal: stopping.signal }));
  stopping.abort();
  expect(await work).toMatchObject({ code: 'aborted', retryable: false, cause: { name: 'AbortError' } });
});

test('a response that says why it failed counts as a broken connection', async () => {
  const fetch = async () => new Response('{"error":{"message":"busy"}}', { status: 429 });
  expect(await failureOf(exchange({ ...options, fetch }))).toMatchObject({ code: 'connection', retryable: true });
});
