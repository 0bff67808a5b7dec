import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { assistant, user } from '@skein/core';
import { openForest, ROOT } from '@skein/forest';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type SeededHome, seedHome } from './seeded-home.ts';
import { skein } from './skein.ts';

let world: SeededHome;
let home: SeededHome['home'];
let store: SeededHome['store'];
let seeded: SeededHome['seeded'];
const run = (...args: string[]) => world.run(...args);

beforeAll(async () => {
  world = await seedHome();
  ({ home, store, seeded } = world);
});

afterAll(() => world.remove());

describe('reading', () => {
  test('threads: last changed first, by tag, in pages', async () => {
    const { out, code } = await run('threads', '--all');
    expect(code).toBe(0);
    const lines = out.trim().split('\n');
    expect(lines).toHaveLength(2);
    expect(lines[0]).toContain('Of geese #birds');
    expect(lines[1]).toContain(`${seeded.thread}  `);
    expect((await run('threads', '--tag', 'birds', '--json')).json().items).toMatchObject([{ id: seeded.other }]);
    const first = await run('threads', '--all', '--limit', '1', '--json');
    expect(first.json().items).toMatchObject([{ title: 'Of geese' }]);
    const rest = await run('threads', '--all', '--after', first.json().next, '--json');
    expect(rest.json().items).toMatchObject([{ title: 'Of yarn' }]);
  });

  test('log: the whole path, of a node and of a thread, by the beginning of their ids', async () => {
    const whole = await run('log', seeded.yarn.slice(0, 8));
    expect(whole.out).toMatch(
      /system[\s\S]*Be brief\.[\s\S]*user[\s\S]*What is a skein\?[\s\S]*A length of yarn\.\nCoiled\./,
    );
    const ofThread = await run('log', seeded.thread.slice(0, 10), '--json');
    expect(ofThread.json()).toMatchObject({
      thread: { id: seeded.thread },
      items: [{ role: 'system' }, { text: 'What is a skein?' }, { id: seeded.yarn, takes: [{ cost: 0.25 }] }],
    });
    expect((await run('log', seeded.yarn, '--oneline')).out.trim().split('\n')).toHaveLength(3);
  });

  test('what a model wrote does not steer the terminal, and colours are not for pipes', async () => {
    const { out } = await skein(home, ['log', seeded.geese, '--store', store], '', { CI: '1', FORCE_COLOR: '1' });
    expect(out).toContain('Geese \ufffd[31min flight.');
    expect(out).not.toContain('\u001b');
  });

  test('show: facts, the exact text, and JSON', async () => {
    const { out } = await run('show', seeded.yarn);
    expect(out).toContain(`node    ${seeded.yarn}`);
    expect(out).toContain('40 in · 7 out · $0.250000');
    const raw = await run('show', seeded.geese, '--raw');
    expect(raw.out).toBe(assistant('Geese \u001b[31min flight.').raw);
    expect((await run('show', seeded.geese, '--json')).json()).toMatchObject({ depth: 3, role: 'assistant' });
    const none = await run('show', seeded.yarn, '--request');
    expect(none).toMatchObject({ code: 1, out: '' });
  });

  test('tree: the whole forest, and what is below a node', async () => {
    const { out } = await run('tree');
    expect(out).toContain(`├─o ${seeded.yarn.slice(0, 10)} assistant A length of yarn. Coiled.`);
    expect(out).toContain(`\no ${seeded.geese.slice(0, 10)}`);
    const below = (await run('tree', seeded.asked, '--json')).json();
    expect(below.items.map(({ id }: { id: string }) => id).toSorted()).toEqual([seeded.yarn, seeded.geese].toSorted());
    expect((await run('tree', '--limit', '1')).err).toContain('There are more');
  });

  test('search: by words and filters', async () => {
    const { out } = await run('search', 'length', 'yar');
    expect(out.trim().split('\n')).toHaveLength(2);
    expect(out).toMatch(/^[0-9a-f]{10} {2}\S+ \S+ · assistant {2}Of yarn\n/);
    expect(out).toContain('length of yarn. Coiled.');
    expect((await run('search', 'skein', '--role', 'user', '--json')).json().items).toMatchObject([
      { node: seeded.asked },
    ]);
    expect(await run('search', 'nowhere')).toMatchObject({ code: 0, out: '', err: 'Nothing was found.\n' });
  });

  test('diff: where two threads part', async () => {
    const { out } = await run('diff', seeded.thread, seeded.geese);
    expect(out).toContain(`They share 2 messages, up to ${seeded.asked.slice(0, 10)}.`);
    expect(out).toContain('- A length of yarn.\n- Coiled.');
    expect(out).toContain('+ Geese');
    expect((await run('diff', seeded.yarn, seeded.geese, '--json')).json()).toMatchObject({
      shared: seeded.asked,
      a: [{ id: seeded.yarn }],
      b: [{ id: seeded.geese }],
    });
  });

  test('usage: of a thread, of everything, and since a day', async () => {
    expect((await run('usage', seeded.thread)).out).toContain('40 tokens, of them 30 from the cache (75 %)');
    expect((await run('usage', '--json')).json()).toMatchObject({ cost: 0.25, usage: { output: 7 } });
    expect((await run('usage', '--since', '2999-01-01', '--json')).json()).toMatchObject({ replies: 0 });
  });

  test('usage: a cost of which nothing is known is not shown as no cost', async () => {
    const folder = join(home, 'priceless');
    const forest = await openForest(folder);
    const usage = { input: 1, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0, output: 1, reasoning: 0, native: '{}' };
    const said = await forest.append(ROOT, [user('Go'), assistant('Gone.')], { usage });
    await forest.close();
    expect((await skein(home, ['usage', said, '--store', folder])).out).toMatch(/^cost {5}not known$/m);
  });
});

describe('what is hidden', () => {
  test('the rules of the configuration hold for every command, and exact exports are refused', async () => {
    const folder = join(home, 'hiding');
    mkdirSync(folder);
    writeFileSync(join(folder, 'skein.config.yaml'), `store: ${store}\nredaction: { patterns: [yarn] }\n`);
    for (const args of [
      ['log', seeded.yarn],
      ['show', seeded.yarn, '--raw'],
      ['search', 'yarn', '--json'],
      ['threads', '--all'],
      ['tree'],
      ['export', '--format', 'markdown'],
    ]) {
      const { out } = await skein(folder, args);
      expect(out, args[0]).toContain('[redacted]');
      expect(out, args[0]).not.toContain('yarn');
    }
    expect(await skein(folder, ['export'])).toMatchObject({ code: 1, out: '' });
    const answer = await skein(folder, ['ask', 'Tell me of yarn', '--project', 'hidden']);
    expect(answer.out).toContain('[redacted]');
    expect(answer.out).not.toContain('yarn');
  });
});
