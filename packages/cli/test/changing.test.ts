/** Renaming, tagging, deleting, moving and forgetting, by the beginnings of ids; lists in every format. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openForest, recordFetch } from '@skein/forest';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type SeededHome, seedHome } from './seeded-home.ts';
import { skein } from './skein.ts';

let world: SeededHome;
beforeAll(async () => {
  world = await seedHome();
});
afterAll(() => world.remove());
const run = (...args: string[]) => world.run(...args);
const short = (id: string) => id.slice(0, 7);
const titles = async (...args: string[]) =>
  (await run('threads', '--json', ...args)).json().items.map(({ title }: { title: string }) => title);

test('a thread gets a title and tags, is deleted and comes back, by the beginning of its id', async () => {
  const id = short(world.seeded.thread);
  expect((await run('rename', id, 'Of', '毛糸')).out).toContain('"Of 毛糸" has its new title.');
  expect((await run('tag', id, 'craft', '#wool', '--json')).json()).toMatchObject({ tags: ['craft', 'wool'] });
  expect((await run('untag', id, 'wool')).out).toContain('has #craft.');
  expect(await titles('--tag', 'craft')).toEqual(['Of 毛糸']);
  expect(await titles('--text', '毛糸')).toEqual(['Of 毛糸']);
  expect(await titles('--text', 'coiled')).toEqual(['Of 毛糸']);
  expect(await titles('--since', '2001-01-01', '--until', '2001-01-02')).toEqual([]);
  expect(await titles('--model', 'gpt-none')).toEqual([]);
  expect((await run('rm', id)).err).toContain('"skein restore" brings it back');
  expect(await titles('--all')).toEqual(['Of geese']);
  expect(await titles('--deleted')).toEqual(['Of 毛糸']);
  expect((await run('restore', id)).code).toBe(0);
  expect(await titles('--all')).toHaveLength(2);
});

test('a wrong id among several changes nothing', async () => {
  const ran = await run('rm', world.seeded.other, 'feedfeedfeed');
  expect(ran).toMatchObject({ code: 1, err: expect.stringContaining('There is no node or thread "feedfeedfeed"') });
  expect(await titles('--all')).toHaveLength(2);
  expect(await run('rename', world.seeded.yarn, 'x')).toMatchObject({
    code: 2,
    err: expect.stringContaining('is a node, and this needs a thread'),
  });
});

test('a message is moved below another, tagged, removed and restored', async () => {
  const { geese, yarn } = world.seeded;
  const { node } = (await run('mv', short(geese), short(yarn), '--json')).json();
  expect((await run('log', node, '--json')).json().items).toHaveLength(4);
  expect((await run('tag', node, 'moved')).out).toContain('has #moved.');
  expect((await run('rm', node)).out).toContain('with everything below it');
  expect((await run('tree', yarn, '--json')).json().items).toEqual([]);
  expect((await run('restore', node)).code).toBe(0);
  expect((await run('tree', yarn, '--json')).json().items).toHaveLength(1);
  const { id } = (await run('bookmark', yarn, 'Here', '--json')).json();
  expect((await run('bookmark', '--format', 'csv')).out).toMatch(/^id,node,title,createdAt\n\w+,\w+,Here,\d+\n$/);
  expect((await run('bookmark', '--remove', short(id))).code).toBe(0);
});

test('messages and trees as tables and lines of JSON', async () => {
  const table = (await run('log', world.seeded.thread, '--format', 'tsv')).out.split('\n');
  expect(table[0]).toBe('id\trole\tat\tmodel\ttext');
  expect(table[3]).toContain('A length of yarn. Coiled.');
  const lines = (await run('tree', world.seeded.thread, '--format', 'jsonl')).out.trim().split('\n');
  expect(lines.map((line) => JSON.parse(line).role)).toContain('system');
  expect(await run('log', world.seeded.thread, '--format', 'csv', '--json')).toMatchObject({ code: 2 });
});

test('an imported thread is found by the digits of its id', async () => {
  const file = join(world.home, 'messages.json');
  writeFileSync(file, JSON.stringify([{ role: 'user', content: 'Imported?' }]));
  const [id] = (await run('import', file, '--dialect', 'openai-chat', '--json')).json().threads;
  expect(id).toMatch(/^import-/);
  expect((await run('log', id.slice(7, 14))).out).toContain('Imported?');
  expect((await run('log', id.slice(0, 12))).out).toContain('Imported?');
});

test('usage prices recorded replies, says null where no price is known, and forget leaves no byte', async () => {
  const store = join(world.home, 'recorded');
  const forest = await openForest(store);
  for (const model of ['gpt-4o', 'no-such-model']) {
    const fetch = recordFetch(forest, {
      fetch: async () =>
        Response.json({
          id: `c-${model}`,
          model,
          choices: [{ index: 0, message: { role: 'assistant', content: `A secret of ${model}` } }],
          usage: { prompt_tokens: 1000, completion_tokens: 100, total_tokens: 1100 },
        }),
    });
    const body = JSON.stringify({ model, messages: [{ role: 'user', content: `Hi ${model}` }] });
    const init = { method: 'POST', body, headers: { 'content-type': 'application/json' } };
    await (await fetch('https://api.openai.com/v1/chat/completions', init)).text();
    await fetch.settled();
  }
  const { items } = await forest.threads.list();
  await forest.close();
  const on = (...args: string[]) => skein(world.home, [...args, '--store', store]);
  const [unknown, priced] = items.map(({ id }) => id);
  expect((await on('usage', priced!, '--json')).json()).toMatchObject({ cost: 0.0035, withoutPrice: 0 });
  expect((await on('usage', unknown!, '--json')).json()).toMatchObject({ cost: null, withoutPrice: 1 });
  expect((await on('usage', unknown!)).out).toContain('cost     not known');
  expect((await on('usage')).out).toContain('$0.003500, without 1 whose price is not known');
  expect(await on('forget', priced!)).toMatchObject({ code: 2, err: expect.stringContaining('add --yes') });
  expect((await on('forget', priced!, '--yes')).out).toContain('1 conversation with 1 exchange is gone for good');
  const bytes = readdirSync(store, { recursive: true, withFileTypes: true })
    .filter((one) => one.isFile())
    .map((one) => readFileSync(join(one.parentPath, one.name), 'utf8'))
    .join('');
  expect(bytes).toContain('A secret of no-such-model');
  expect(bytes).not.toContain('A secret of gpt-4o');
  expect((await on('fsck')).code).toBe(0);
  expect(await run('forget', world.seeded.thread, '--yes')).toMatchObject({ code: 2 });
});
