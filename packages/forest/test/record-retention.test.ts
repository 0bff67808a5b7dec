import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createForest, fileStore, forgetOld, listExchanges, recordFetch, reproject } from '@skein/forest';
import { expect, test } from 'vitest';

const DAY = 24 * 60 * 60 * 1000;

interface Turn {
  readonly role: 'user' | 'assistant';
  readonly content: string;
}

test('what nobody went on with for longer than the retention is gone from the files, and nothing else moves', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'skein-retention-'));
  let today = 100 * DAY;
  const open = async () => createForest(await fileStore(folder), { now: () => today });
  const ask = async (messages: readonly Turn[]) => {
    const forest = await open();
    const content = `Answer to ${messages.at(-1)!.content}`;
    const fetch = recordFetch(forest, {
      fetch: async () =>
        Response.json({ id: 'x', model: 'm', choices: [{ index: 0, message: { role: 'assistant', content } }] }),
    });
    const body = JSON.stringify({ model: 'm', messages });
    await (await fetch('https://api.openai.com/v1/chat/completions', { method: 'POST', body })).text();
    await fetch.settled();
    await forest.close();
    return [...messages, { role: 'assistant' as const, content }];
  };
  await ask([{ role: 'user', content: 'once' }]);
  today += DAY;
  const talk = await ask([{ role: 'user', content: 'again and again' }]);
  today += 20 * DAY;
  await ask([...talk, { role: 'user', content: 'and again' }]);
  today += 20 * DAY;

  const forest = await open();
  const before = (await listExchanges(forest)).items;
  expect(before).toHaveLength(3);
  const [once, first, second] = before;
  await forgetOld(forest, { recordingDays: 30 });
  await forest.close();

  const after = await open();
  expect((await listExchanges(after)).items).toEqual([first, second]);
  expect((await after.node(once!.landing!.node!)).message.text).toBe('Answer to once');
  expect(await reproject(after)).toMatchObject({ exchanges: 2, landed: 2, moved: 0 });
  expect((await listExchanges(after)).items).toEqual([first, second]);
  expect((await after.threads.list()).items).toHaveLength(2);
  await forgetOld(after, { days: 30 });
  expect((await after.threads.list()).items.map(({ id }) => id)).toEqual([second!.landing!.thread]);
  await after.close();
  await rm(folder, { recursive: true });
});
