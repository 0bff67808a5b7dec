import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { listExchanges, recordFetch, reproject } from '@skein/forest';
import { expect, test } from 'vitest';
import { newForest } from './record-kit.ts';

const FOLDER = process.env.SKEIN_CORPUS ?? fileURLToPath(new URL('../../../../shared/corpus', import.meta.url));
const hasCorpus = existsSync(FOLDER);
const PATHS: Readonly<Record<string, string>> = {
  'openai-chat': '/v1/chat/completions',
  'openai-responses': '/v1/responses',
  'anthropic-messages': '/v1/messages',
  'google-generatecontent': '/v1beta/models/gemini:generateContent',
};

interface Turn {
  readonly method?: string;
  readonly path?: string;
  readonly request?: unknown;
  readonly requestText?: string;
  readonly response?: unknown;
  readonly responseText?: string;
  readonly sse?: string | null;
  readonly status?: number;
  readonly echoes?: readonly { readonly turn: number; readonly via: string }[];
}

const turnsOf = (protocol: string): readonly { readonly file: string; readonly turns: readonly Turn[] }[] =>
  hasCorpus
    ? readdirSync(join(FOLDER, protocol))
        .map((file) => ({
          file,
          turns: (JSON.parse(readFileSync(join(FOLDER, protocol, file), 'utf8')) as { turns: Turn[] }).turns,
        }))
        // Some hold a response alone.
        .filter(({ turns }) =>
          turns.every(({ request, requestText, method }) => request || requestText || method === 'GET'),
        )
    : [];

const textOf = (text: string | undefined, value: unknown) => text ?? (value ? JSON.stringify(value) : '');

test.each(Object.keys(PATHS))('recorded traffic finds its place: %s', async (protocol) => {
  const counts = { recordings: 0, exchanges: 0, landed: 0, waiting: 0, nothing: 0, followUps: 0, together: 0 };
  const apart: string[] = [];
  const unread: string[] = [];
  for (const { file, turns } of turnsOf(protocol)) {
    const forest = newForest();
    const errors: unknown[] = [];
    let turn = 0;
    const fetch = recordFetch(forest, {
      onError: (error) => errors.push(error),
      fetch: async () => {
        const { sse, response, responseText, status = 200 } = turns[turn]!;
        const type = sse ? 'text/event-stream' : 'application/json';
        return new Response(sse ?? textOf(responseText, response), { status, headers: { 'content-type': type } });
      },
    });
    for (turn = 0; turn < turns.length; turn++) {
      const { method = 'POST', path, request, requestText } = turns[turn]!;
      const body = method === 'GET' ? {} : { body: textOf(requestText, request) };
      const url = `https://api.example.com${path || PATHS[protocol]}`;
      await (await fetch(url, { method, ...body })).text();
    }
    await fetch.settled();
    expect(errors, file).toEqual([]);
    const { items } = await listExchanges(forest, { limit: 1000 });
    expect(items).toHaveLength(turns.length);
    counts.recordings += 1;
    counts.exchanges += items.length;
    for (const [index, { landing, kind }] of items.entries()) {
      counts[landing!.state] += 1;
      if (landing?.state === 'nothing' && kind !== 'other') unread.push(`${file}#${index}: ${landing.why}`);
      const earlier = turns[index]!.echoes?.at(-1);
      if (!earlier || landing?.state !== 'landed') continue;
      counts.followUps += 1;
      if (landing.thread === items[earlier.turn]?.landing?.thread) counts.together += 1;
      else apart.push(`${file}#${index} (${earlier.via})`);
    }
    const before = (await forest.threads.list({ limit: 1000 })).items;
    expect(await reproject(forest), file).toMatchObject({ moved: 0 });
    expect((await forest.threads.list({ limit: 1000 })).items).toEqual(before);
  }
  console.log(protocol, JSON.stringify(counts), hasCorpus ? '' : '(no corpus here)');
  if (apart.length > 0) console.log('not in one thread:', apart.join(', '));
  if (unread.length > 0) console.log('without a place:', unread.slice(0, 40).join('\n'));
  if (!hasCorpus) return;
  expect(counts.landed).toBeGreaterThan(100);
  // What is not: histories that were compacted or rewritten before they were sent again.
  expect(counts.together / counts.followUps).toBeGreaterThan(0.9);
});
