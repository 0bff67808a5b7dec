import { readFileSync } from 'node:fs';
import * as core from '@skein/core';
import { dialectConformance } from '@skein/core/testing';
import { beforeAll, describe, expect, test } from 'vitest';
import { createForest } from '../forest/index.ts';
import { exportText, importFile } from '../formats/index.ts';
import { memoryStore } from '../store/index.ts';
import { recordFetch } from './record-fetch.ts';

const guide = readFileSync(new URL('../../../../docs/guides/add-a-dialect.md', import.meta.url), 'utf8');
const ADDRESS = 'https://toy.example/talk';

/** Defines the dialect as the guide does, from outside of the packages. */
beforeAll(() => {
  const [, sample = ''] = /```js(?: run)?\n([\s\S]*?)```/.exec(guide) ?? [];
  const [, names = ''] = /^import \{ (.*) \} from 'skein';$/m.exec(sample) ?? [];
  const code = sample.replace(/^import .*$/m, '').replace(/^console\.log.*$/m, '');
  const run = new Function(...names.split(', '), code);
  run(...names.split(', ').map((name) => ({ ...core })[name as 'user']));
});

async function say(fetch: typeof globalThis.fetch, log: readonly object[]): Promise<Response> {
  const response = await fetch(ADDRESS, { method: 'POST', body: JSON.stringify({ log }) });
  return new Response(await response.text(), { status: response.status });
}

async function recordTwoTurns() {
  const forest = createForest(memoryStore());
  let count = 0;
  const answer = async () =>
    Response.json({ id: `r${count}`, answer: { by: 'bot', say: `Answer ${count++}`, mood: 0.9 } });
  const fetch = recordFetch(forest, { fetch: answer });
  await say(fetch, [{ by: 'me', say: 'Hello' }]);
  const history = [
    { by: 'me', say: 'Hello' },
    { by: 'bot', say: 'Answer 0', mood: 0.9 },
    { by: 'me', say: 'More' },
  ];
  await say(fetch, history);
  await fetch.settled();
  return { forest, history };
}

describe('a dialect that is defined as the guide says', () => {
  test('is recorded as one conversation, with its exact texts', async () => {
    const { forest } = await recordTwoTurns();
    const { items } = await forest.threads.list();
    expect(items).toHaveLength(1);
    const path = await forest.path(items[0]!.head);
    expect(path.map(({ message }) => message.text)).toEqual(['Hello', 'Answer 0', 'More', 'Answer 1']);
    expect(path[3]!.message.raw).toBe('{"by":"bot","say":"Answer 1","mood":0.9}');
  });

  test('is replayed, and a miss has the form of its errors', async () => {
    const { forest, history } = await recordTwoTurns();
    const offline = recordFetch(forest, { mode: 'replay' });
    expect(await (await say(offline, history)).json()).toMatchObject({ answer: { say: 'Answer 1' } });
    const missed = await say(offline, [{ by: 'me', say: 'Something else' }]);
    expect(missed.status).toBe(404);
    expect(await missed.json()).toMatchObject({ oops: expect.stringContaining('No recording'), code: 'replay_miss' });
  });

  test('is exported and imported without a loss', async () => {
    const { forest } = await recordTwoTurns();
    let text = '';
    for await (const piece of exportText(forest, { format: 'messages', dialect: 'toy' })) text += piece;
    expect(JSON.parse(text)).toHaveLength(4);
    const other = createForest(memoryStore());
    await importFile(other, [text], { format: 'messages', dialect: 'toy' });
    const [thread] = (await other.threads.list()).items;
    expect((await other.path(thread!.head)).map(({ message }) => message.raw)).toEqual(
      JSON.parse(text).map((one: object) => JSON.stringify(one)),
    );
  });
});

test('keeps what every dialect promises, with the samples of the guide', () => {
  const [, given = ''] = /const samples = (\{[\s\S]*?\n\});/.exec(guide) ?? [];
  const samples = new Function(`return ${given}`)();
  const cases = dialectConformance(core.dialect('toy'), samples);
  for (const { run } of cases) run();
  expect(cases.map(({ name }) => name)).toContain(
    'toy: a stream is written from its events, and reads as the same reply',
  );
});
