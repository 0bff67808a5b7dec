import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { openai } from '../../dialects/openai-responses/provider.ts';
import { deliverExchange as exchange } from './deliver.ts';
import type { ExchangeOptions, Fetch } from './exchange.ts';
import { findSecrets, redact } from './redact.ts';
// What is loaded with the first error would take real time.
import './read-error.ts';
import { FakeClock, settle } from './test-clock.ts';

const KEY = 'sk-secret+key/0123456789"quoted';
const TOKEN = 'gateway-token-42';
const PASSWORD = 'pass-word-17';

/** Everything that is told about a failed exchange, as a logger would write it. */
async function told(fetch: Fetch, more: Partial<ExchangeOptions> = {}): Promise<string> {
  const clock = new FakeClock();
  const heard: unknown[] = [];
  const work = exchange({
    provider: openai,
    model: 'm',
    body: '{}',
    key: KEY,
    env: {},
    fetch,
    clock,
    extraHeaders: { Authorization: `Bearer ${TOKEN}` },
    onRetry: (notice) => heard.push(notice),
    ...more,
    stream: false,
  }).catch((error: unknown) => heard.push(error));
  let done = false;
  work.finally(() => {
    done = true;
  });
  for (await settle(); !done; await settle()) clock.next();
  expect(heard.length).toBeGreaterThan(0);
  return heard
    .flatMap((one) => [inspect(one, { depth: 20, showHidden: true }), JSON.stringify(one), String(one), stackOf(one)])
    .join('\n');
}

function stackOf(value: unknown): string {
  return value instanceof Error ? `${value.stack}${stackOf(value.cause)}` : '';
}

const spellings = (secret: string) => [secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1)];

describe('keys never appear', () => {
  const init: { current: RequestInit | undefined } = { current: undefined };
  const echoing = (status: number): Fetch => {
    return async (url, given) => {
      init.current = given;
      const text = JSON.stringify({
        error: { message: `Bad: ${KEY} ${TOKEN}`, sent: { url, headers: given.headers } },
      });
      return new Response(text, { status, headers: { 'x-request-id': KEY.replace('"', '') } });
    };
  };

  const cases: [string, Fetch][] = [
    ['the body of an error repeats them', echoing(401)],
    ['an error that is tried again repeats them', echoing(500)],
    [
      'fetch quotes a header',
      async (_, { headers }) => {
        throw new TypeError(`Headers.append: ${JSON.stringify(headers)} is an invalid header value.`);
      },
    ],
    [
      'fetch attaches the request to its error',
      async (_, request) => {
        throw Object.assign(new Error('failed'), { request, cause: new Error('deep', { cause: { request } }) });
      },
    ],
    [
      'fetch attaches something opaque',
      async (_, { headers }) => {
        throw Object.assign(new Error('failed'), { headers: new Headers(headers as Record<string, string>) });
      },
    ],
    [
      'fetch throws something that is no error',
      async (_, { headers }) => {
        throw headers;
      },
    ],
  ];

  it.each(cases)('when %s', async (_, fetch) => {
    const text = await told(fetch);
    for (const secret of [KEY, TOKEN].flatMap(spellings)) expect(text).not.toContain(secret);
  });

  it('when they stand in the base address', async () => {
    const fetch: Fetch = async (url) => {
      throw new TypeError(`Request cannot be constructed from a URL that includes credentials: ${url}`);
    };
    const text = await told(fetch, { baseUrl: `https://me:${PASSWORD}@host.example/v1?sig=${TOKEN}` });
    for (const secret of [PASSWORD, TOKEN]) expect(text).not.toContain(secret);
  });

  it('when a key holds what no header can', async () => {
    const fetch: Fetch = async () => new Response('{}');
    const broken = `${KEY}\nsecond-line`;
    const text = await told(fetch, { key: broken });
    expect(text).toContain('cannot carry');
    for (const secret of [KEY, 'second-line']) expect(text).not.toContain(secret);
  });
});

it('short words are not taken for secrets', () => {
  const secrets = findSecrets({ key: 'abc', baseUrl: 'http://localhost' });
  expect(redact('abc and abcdef', secrets)).toBe('abc and abcdef');
});
