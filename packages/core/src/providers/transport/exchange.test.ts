import { describe, expect, it } from 'vitest';
import { anthropic } from '../../dialects/anthropic-messages/provider.ts';
import { google } from '../../dialects/google-generatecontent/provider.ts';
import { openai } from '../../dialects/openai-responses/provider.ts';
import { MissingKeyError } from '../endpoint.ts';
import { deliverExchange as exchange } from './deliver.ts';
import type { ExchangeOptions, RetryNotice } from './exchange.ts';
import { ProviderError } from './provider-error.ts';
// What is loaded with the first error would take real time.
import './read-error.ts';
import { FakeClock, settle } from './test-clock.ts';
import { failing, fakeFetch, streaming } from './test-fetch.ts';

const KEY = 'sk-very-secret-0123456789';

function options(more: Partial<ExchangeOptions> = {}): ExchangeOptions {
  return { provider: openai, model: 'gpt-5.2', body: '{"n":1.0}', key: KEY, env: {}, random: () => 0.5, ...more };
}

async function failureOf(work: Promise<unknown>): Promise<ProviderError> {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof ProviderError)) throw new Error(`expected a ProviderError, got ${String(error)}`);
  return error;
}

/** Runs the clock from timer to timer until the work is done. */
async function inFakeTime<T>(clock: FakeClock, work: Promise<T>): Promise<T> {
  let done = false;
  work.then(
    () => {
      done = true;
    },
    () => {
      done = true;
    },
  );
  for (await settle(); !done; await settle()) clock.next();
  return work;
}

async function all<T>(events: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const event of events) list.push(event);
  return list;
}

describe('a request', () => {
  it('is posted as the exact text, to the address and with the headers of its provider', async () => {
    const api = fakeFetch(new Response('{"ok":1.0}', { headers: { 'x-request-id': 'r1' } }));
    const reply = await exchange({
      ...options({
        provider: anthropic,
        model: 'claude-opus-5',
        fetch: api.fetch,
        extraHeaders: { 'Anthropic-Beta': 'x' },
        // For the platform's own `fetch` alone.
        withBytes: (use) => use(new Uint8Array()),
      }),
      stream: false,
    });
    expect(reply).toMatchObject({ text: '{"ok":1.0}', status: 200, requestId: 'r1', attempts: 1 });
    expect(api.requests[0]).toMatchObject({
      url: 'https://api.anthropic.com/v1/messages',
      init: {
        method: 'POST',
        body: '{"n":1.0}',
        redirect: 'manual',
        headers: {
          'content-type': 'application/json',
          'x-api-key': KEY,
          'anthropic-version': '2023-06-01',
          'anthropic-beta': 'x',
        },
      },
    });
  });

  it('names the model in the address where the API wants that', async () => {
    const { response } = streaming(['data: {}\n\n']);
    const api = fakeFetch(response);
    await exchange({
      ...options({ provider: google, model: 'gemini-3.6-flash', fetch: api.fetch, baseUrl: 'http://localhost:1/g/' }),
      stream: true,
    });
    expect(api.requests[0]!.url).toBe(
      'http://localhost:1/g/v1beta/models/gemini-3.6-flash:streamGenerateContent?alt=sse',
    );
  });

  it('without a key is not sent', async () => {
    const api = fakeFetch(new Response('{}'));
    await expect(exchange({ ...options({ key: '', fetch: api.fetch }), stream: false })).rejects.toThrow(
      MissingKeyError,
    );
    expect(api.requests).toHaveLength(0);
  });

  it('is not sent when it was aborted before', async () => {
    const api = fakeFetch(new Response('{}'));
    const error = await failureOf(
      exchange({ ...options({ fetch: api.fetch, signal: AbortSignal.abort('no') }), stream: false }),
    );
    expect(error).toMatchObject({ code: 'aborted', cause: 'no', retryable: false });
    expect(api.requests).toHaveLength(0);
  });
});

describe('retries', () => {
  it.each([408, 409, 429, 500, 502, 503, 529])('a %i', async (status) => {
    const clock = new FakeClock();
    const api = fakeFetch(failing(status), failing(status), new Response('done'));
    const notices: RetryNotice[] = [];
    const work = exchange({
      ...options({ clock, fetch: api.fetch, onRetry: (notice) => notices.push(notice) }),
      stream: false,
    });
    expect(await inFakeTime(clock, work)).toMatchObject({ text: 'done', attempts: 3 });
    expect(notices.map(({ attempts, waitMs, error }) => [attempts, waitMs, error.status])).toEqual([
      [1, 500, status],
      [2, 1000, status],
    ]);
    expect(clock.pending).toEqual([]);
  });

  it.each([400, 401, 403, 404, 413, 422])('not a %i', async (status) => {
    const api = fakeFetch(failing(status));
    const error = await failureOf(
      exchange({ ...options({ fetch: api.fetch, clock: new FakeClock() }), stream: false }),
    );
    expect(error).toMatchObject({ status, retryable: false, attempts: 1 });
    expect(api.requests).toHaveLength(1);
  });

  it('a broken connection, and keeps its cause when it gives up', async () => {
    const clock = new FakeClock();
    const broken = new TypeError('fetch failed', { cause: new Error('read ECONNRESET') });
    const api = fakeFetch(broken);
    const error = await failureOf(
      inFakeTime(clock, exchange({ ...options({ clock, fetch: api.fetch }), stream: false })),
    );
    expect(error).toMatchObject({ code: 'connection', retryable: true, attempts: 3, cause: broken });
    expect(error.message).toContain('ECONNRESET');
  });

  it.each([
    ['retry-after-ms', '1234', 1234],
    ['retry-after', '7', 7000],
    ['retry-after', 'Sun, 15 Nov 2026 12:00:20 GMT', 20_000],
    ['retry-after', '86400', 60_000],
  ])('after the time that %s: %s names, within bounds', async (name, value, expected) => {
    const clock = new FakeClock();
    const api = fakeFetch(failing(429, '{}', { [name]: value }), new Response('done'));
    const notices: number[] = [];
    const work = exchange({
      ...options({ clock, fetch: api.fetch, onRetry: ({ waitMs }) => notices.push(waitMs) }),
      stream: false,
    });
    await inFakeTime(clock, work);
    expect(notices).toEqual([expected]);
  });

  it('not when told not to', async () => {
    const api = fakeFetch(failing(500));
    await failureOf(exchange({ ...options({ fetch: api.fetch, retry: false }), stream: false }));
    expect(api.requests).toHaveLength(1);
  });

  it('no longer, once aborted while waiting', async () => {
    const clock = new FakeClock();
    const api = fakeFetch(failing(500));
    const controller = new AbortController();
    const work = failureOf(
      exchange({ ...options({ clock, fetch: api.fetch, signal: controller.signal }), stream: false }),
    );
    await settle();
    controller.abort(new Error('enough'));
    expect(await work).toMatchObject({ code: 'aborted', attempts: 1, cause: { message: 'enough' } });
    expect(api.requests).toHaveLength(1);
    expect(clock.pending).toEqual([]);
  });

  it('no longer than the limit in all, and then says what went wrong before', async () => {
    const clock = new FakeClock();
    const api = fakeFetch(failing(429, '{"error":{"message":"slow down"}}', { 'retry-after': '50' }));
    const work = exchange({ ...options({ clock, fetch: api.fetch, timeouts: { totalMs: 60_000 } }), stream: false });
    const error = await failureOf(inFakeTime(clock, work));
    expect(error).toMatchObject({ code: 'timeout', retryable: false, cause: { code: 'rate_limit' } });
  });
});

describe('time limits', () => {
  it('for the head of the response: tried again', async () => {
    const clock = new FakeClock();
    const api = fakeFetch('silence', new Response('done'));
    const work = exchange({ ...options({ clock, fetch: api.fetch, timeouts: { connectMs: 5000 } }), stream: false });
    expect(await inFakeTime(clock, work)).toMatchObject({ text: 'done', attempts: 2 });
    expect(api.requests[0]!.init.signal?.aborted).toBe(true);
  });

  it('between bytes, also in the middle of a stream: thrown, not tried again, and the body is cancelled', async () => {
    const clock = new FakeClock();
    const { response, state } = streaming(['data: 1\n\n'], 'silence');
    const requests: string[] = [];
    const fetch = async (url: string) => {
      requests.push(url);
      return response;
    };
    const { events } = await exchange({ ...options({ clock, fetch, timeouts: { idleMs: 900 } }), stream: true });
    const error = await failureOf(inFakeTime(clock, all(events)));
    expect(error).toMatchObject({ code: 'timeout', retryable: true });
    expect([requests.length, state.cancelled, clock.pending]).toEqual([1, true, []]);
  });

  it('in all', async () => {
    const clock = new FakeClock();
    const api = fakeFetch('silence');
    const work = exchange({ ...options({ clock, fetch: api.fetch, timeouts: { totalMs: 1000 } }), stream: false });
    expect(await failureOf(inFakeTime(clock, work))).toMatchObject({ code: 'timeout', retryable: false, attempts: 1 });
  });
});

describe('streams', () => {
  it('give their events, however they were cut', async () => {
    const { response } = streaming(['event: a\nda', 'ta: {"x":1}\n\n: ping\n\ndata: two', '\n']);
    const api = fakeFetch(response);
    const reply = await exchange({ ...options({ fetch: api.fetch }), stream: true });
    expect(reply).toMatchObject({ status: 200, requestId: 'req_1', attempts: 1 });
    expect(await all(reply.events)).toEqual([
      { event: 'a', data: '{"x":1}' },
      { event: undefined, data: 'two' },
    ]);
  });

  it.each(['break', 'end'] as const)('that %s before their first event are asked for again', async (end) => {
    const clock = new FakeClock();
    const replies = [streaming([': hello\n\n'], end), streaming(['data: 1\n\n'])];
    const fetch = async () => replies.shift()!.response;
    const reply = await inFakeTime(clock, exchange({ ...options({ clock, fetch }), stream: true }));
    expect(reply.attempts).toBe(2);
    expect(await all(reply.events)).toEqual([{ event: undefined, data: '1' }]);
    expect(clock.pending).toEqual([]);
  });

  it('that break after it are not', async () => {
    let requests = 0;
    const fetch = async () => {
      requests++;
      return streaming(['data: 1\n\nda'], 'break').response;
    };
    const { events } = await exchange({ ...options({ fetch, clock: new FakeClock() }), stream: true });
    const seen: string[] = [];
    const reading = (async () => {
      for await (const { data } of events) seen.push(data);
    })();
    expect(await failureOf(reading)).toMatchObject({ code: 'connection', retryable: true });
    expect([seen, requests]).toEqual([['1'], 1]);
  });

  it('are cancelled when the reader leaves', async () => {
    const clock = new FakeClock();
    const { response, state } = streaming(['data: 1\n\n', 'data: 2\n\n'], 'silence');
    const { events } = await exchange({ ...options({ clock, fetch: async () => response }), stream: true });
    for await (const _ of events) break;
    expect([state.cancelled, clock.pending]).toEqual([true, []]);
  });

  it('are cancelled when the caller aborts, also by a fetch that takes no notice', async () => {
    const controller = new AbortController();
    const { response, state } = streaming(['data: 1\n\ndata: 2\n\n'], 'silence');
    const { events } = await exchange({
      ...options({ fetch: async () => response, signal: controller.signal, clock: new FakeClock() }),
      stream: true,
    });
    const seen: string[] = [];
    const reading = (async () => {
      for await (const { data } of events) {
        seen.push(data);
        controller.abort();
      }
    })();
    expect(await failureOf(reading)).toMatchObject({ code: 'aborted' });
    expect([seen, state.cancelled]).toEqual([['1'], true]);
  });

  it('hold error events like any other', async () => {
    const { response } = streaming(['event: error\ndata: {"type":"error"}\n\n']);
    const { events } = await exchange({ ...options({ fetch: async () => response }), stream: true });
    expect(await all(events)).toEqual([{ event: 'error', data: '{"type":"error"}' }]);
  });

  it('that are none, but one JSON text, are errors with that text', async () => {
    const json = new Response('{"choices":[]}', { headers: { 'content-type': 'application/json' } });
    const error = await failureOf(exchange({ ...options({ fetch: async () => json }), stream: true }));
    expect(error).toMatchObject({ code: 'stream_error', rawBody: '{"choices":[]}', retryable: false });
    const told = new Response('{"error":{"message":"busy","type":"overloaded_error"}}', {
      headers: { 'content-type': 'application/json; charset=utf-8' },
    });
    const clock = new FakeClock();
    const work = exchange({ ...options({ fetch: async () => told.clone(), clock }), stream: true });
    expect(await failureOf(inFakeTime(clock, work))).toMatchObject({ code: 'overloaded', attempts: 3 });
  });
});

describe('a reply that does not end', () => {
  it.each([true, false])(
    'is given up after 128 MB, whether it is a stream (%s), and not asked for again',
    async (stream) => {
      const piece = new Uint8Array(2 ** 22).fill(32);
      let given = 0;
      let requests = 0;
      const fetch = async () => {
        requests += 1;
        const body = new ReadableStream<Uint8Array>({
          pull(controller) {
            given += piece.length;
            if (given > 2 ** 28) controller.close();
            else controller.enqueue(piece);
          },
        });
        return new Response(body, { headers: { 'content-type': stream ? 'text/event-stream' : 'application/json' } });
      };
      const error = await failureOf(exchange({ ...options({ fetch }), stream }));
      expect(error).toMatchObject({ code: 'not_this_protocol', retryable: false });
      expect(error.message).toContain('more than 134217728 bytes');
      expect(given).toBeLessThan(2 ** 27 + 3 * piece.length);
      expect(requests).toBe(1);
    },
  );
});
