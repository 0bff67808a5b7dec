import { describe, expect, it } from 'vitest';
import { dialect } from '../../dialects/index.ts';
import type { Framing } from '../../dialects/stream.ts';
import { exchange } from './exchange.ts';
import { registerSigner, type UnsignedRequest } from './signers.ts';

const { home } = dialect('openai-chat');
const connection = { ...home.connection!, auth: [], needsKey: false, signer: 'toy' };
const options = { provider: { ...home, connection }, model: 'm-1', body: '{"a":"ü"}', retry: false } as const;

describe('a provider that names a signer', () => {
  it('fails before anything is sent where nobody registered it', async () => {
    const provider = { ...home, connection: { ...connection, signer: 'nobody' } };
    const fetch = () => Promise.reject(new Error('sent all the same'));
    await expect(exchange({ ...options, provider, fetch, stream: false })).rejects.toMatchObject({
      code: 'invalid_configuration',
      message: expect.stringContaining('registerSigner'),
    });
  });

  it('has every request signed: its method, address, headers and body', async () => {
    const signed: UnsignedRequest[] = [];
    registerSigner('toy', async (request) => {
      signed.push(request);
      return { authorization: `Toy ${request.method} ${request.body.length}` };
    });
    let sent: RequestInit = {};
    const fetch = (_url: string, init: RequestInit) => {
      sent = init;
      return Promise.resolve(new Response('{}'));
    };
    await exchange({ ...options, fetch, stream: false });
    expect(sent.headers).toMatchObject({ authorization: 'Toy POST 9', 'content-type': 'application/json' });
    expect(signed).toMatchObject([
      { method: 'POST', url: 'https://api.openai.com/v1/chat/completions', body: options.body },
    ]);
  });
});

/** One event for each line. */
const lines: Framing = {
  contentTypes: ['application/jsonl'],
  split(onEvent) {
    const decoder = new TextDecoder();
    let rest = '';
    const feed = (text: string): void => {
      const [last = '', ...whole] = (rest + text).split('\n').reverse();
      rest = last;
      for (const line of whole.reverse()) if (line !== '') onEvent(undefined, line);
    };
    return {
      push: (chunk) => feed(typeof chunk === 'string' ? chunk : decoder.decode(chunk, { stream: true })),
      end: () => feed(`${decoder.decode()}\n`),
    };
  },
};

describe('a provider that brings its own framing', () => {
  it('is asked for it, and its streams are cut by it', async () => {
    let accept: string | null = null;
    const fetch = (_url: string, init: RequestInit) => {
      accept = new Headers(init.headers).get('accept');
      return Promise.resolve(
        new Response('{"n":1}\n{"n":2}\n{"n":3}', { headers: { 'content-type': 'application/jsonl' } }),
      );
    };
    const provider = { ...home, framing: lines };
    const { events } = await exchange({ ...options, provider, key: 'k', fetch, stream: true });
    const seen: string[] = [];
    for await (const { data } of events) seen.push(data);
    expect(accept).toBe('application/jsonl');
    expect(seen).toEqual(['{"n":1}', '{"n":2}', '{"n":3}']);
  });
});
