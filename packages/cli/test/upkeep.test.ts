import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { assistant, user } from '@skein/core';
import { openForest, ROOT } from '@skein/forest';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type SeededHome, seedHome } from './seeded-home.ts';
import { skein } from './skein.ts';
import { closeTerminals, openTerminal } from './terminal.ts';

let world: SeededHome;
let home: SeededHome['home'];
let store: SeededHome['store'];
let seeded: SeededHome['seeded'];
const run = (...args: string[]) => world.run(...args);

beforeAll(async () => {
  world = await seedHome();
  ({ home, store, seeded } = world);
});

afterAll(async () => {
  await closeTerminals();
  world.remove();
});

describe('writing and upkeep', () => {
  test('bookmark: set, listed, taken away', async () => {
    const { id } = (await run('bookmark', seeded.yarn.slice(0, 8), 'Good', '--json')).json();
    expect((await run('bookmark')).out).toContain(`${id}  ${seeded.yarn.slice(0, 10)}`);
    expect((await run('bookmark', '--remove', id)).code).toBe(0);
    expect((await run('bookmark', '--json')).json()).toEqual({ items: [] });
  });

  test('export and import: segments give the same nodes elsewhere, Markdown is for people', async () => {
    const file = join(home, 'all.jsonl');
    expect(await run('export', '--out', file)).toMatchObject({ code: 0, out: '' });
    expect((await run('export', '--out', file)).err).toContain('already exists');
    const copy = join(home, 'copy');
    const imported = await skein(home, ['import', file, '--store', copy, '--json']);
    expect(imported.json()).toMatchObject({ format: 'segments', problems: [] });
    expect((await skein(home, ['show', seeded.yarn, '--raw', '--store', copy])).out).toBe(
      (await run('show', seeded.yarn, '--raw')).out,
    );
    expect((await run('export', seeded.thread, '--format', 'markdown')).out).toContain('A length of yarn.');
    const messages = await run('export', seeded.yarn, '--format', 'messages');
    expect(messages.json()).toHaveLength(3);
  });

  test('export: a dataset in two parts, with filters; what makes no sense is refused before anything is written', async () => {
    const out = join(home, 'data.jsonl');
    const wanted = ['--format', 'jsonl', '--hide', 'yarn', '--min-cost', '0.1', '--split', '50', '--seed', 'x'];
    expect((await run('export', ...wanted, '--out', out)).err).toContain('data.train.jsonl and ');
    const parts = ['train', 'test'].map((part) => readFileSync(join(home, `data.${part}.jsonl`), 'utf8'));
    expect(parts.join('')).toContain('A length of [redacted].');
    expect(parts.join('').trim().split('\n')).toHaveLength(1);
    expect((await run('export', '--tag', 'birds')).err).toContain('is exact and complete');
  });

  test('import: what cannot be read is told, and the rest is there', async () => {
    const file = join(home, 'some.jsonl');
    writeFileSync(
      file,
      '{"messages":[{"role":"user","content":"Hi"},{"role":"assistant","content":"Ho"}]}\n{"messages":5}\n',
    );
    const { code, out, err } = await run(
      'import',
      file,
      '--format',
      'fine-tuning',
      '--dialect',
      'openai-chat',
      '--project',
      'imported',
    );
    expect(code).toBe(1);
    expect(out).toBe('fine-tuning: 1 conversation, 2 messages, 2 of them new; 1 could not be read.\n');
    expect(err).toContain('line 2');
  });

  test('import: of thousands that cannot be read the first few are told, and how many more', async () => {
    const file = join(home, 'broken.jsonl');
    writeFileSync(file, '{"messages":5}\n'.repeat(10_000));
    const { code, err } = await run('import', file, '--format', 'fine-tuning', '--dialect', 'openai-chat');
    expect(code).toBe(1);
    expect(err.trim().split('\n')).toHaveLength(6);
    expect(err).toContain('and 9995 more');
  });

  test('import: bare messages have a title, the first words of the question', async () => {
    const file = join(home, 'bare.json');
    writeFileSync(file, '[{"role":"system","content":"Be brief."},{"role":"user","content":"Whose\\nyarn is this?"}]');
    await run('import', file, '--dialect', 'openai-chat', '--project', 'bare');
    expect((await run('threads', '--project', 'bare')).out).toContain('Whose yarn is this?');
  });

  test('import: what nothing says is asked for by the names of flags', async () => {
    const file = join(home, 'unnamed.json');
    writeFileSync(file, '[{"role":"user","content":"Hi"}]');
    for (const args of [[], ['--format', 'messages']]) {
      const { err } = await run('import', file, ...args);
      expect(err).toContain('--dialect');
      expect(err).not.toContain('`');
    }
  });

  test('export on a terminal: what a model wrote does not steer it', async () => {
    const folder = join(home, 'steering');
    const forest = await openForest(folder);
    const said = await forest.append(ROOT, [user('Go'), assistant('A\u001b[2JB\u009b31mC\u202eD')]);
    await forest.close();
    for (const format of ['markdown', 'messages', 'segments']) {
      const args = format === 'segments' ? [] : [said];
      const terminal = openTerminal(home, ['export', ...args, '--format', format, '--store', folder]);
      expect(await terminal.ended).toBe(0);
      for (const steering of ['\u001b[2J', '\u009b', '\u202e']) expect(terminal.raw).not.toContain(steering);
      expect(terminal.raw).toContain('C\ufffdD');
    }
    const piped = await skein(home, ['export', said, '--format', 'markdown', '--store', folder]);
    expect(piped.out).toContain('A\u001b[2JB\u009b31mC\u202eD');
  });

  test('export to a folder that is not there names the folder', async () => {
    const ran = await run('export', '--out', join(home, 'missing', 'x.md'));
    expect(ran).toMatchObject({ code: 1, out: '' });
    expect(ran.err).toContain(`There is no folder ${join(home, 'missing')}:`);
  });

  test('export in the older layout, and verify it', async () => {
    const folder = join(home, 'older');
    expect((await run('export', '--format', 'older', '--out', folder)).code).toBe(0);
    expect((await skein(home, ['verify', folder, '--json'])).json()).toMatchObject({ ok: true, unreadable: 0 });
    expect((await skein(home, ['verify', store])).err).toContain(`skein fsck --store ${store}`);
  });

  test('others may use the forest meanwhile, but for pack and gc', async () => {
    expect(await run('fsck')).toMatchObject({ code: 0, out: 'All is well.\n' });
    const busy = join(home, 'busy');
    const writer = await openForest(busy);
    const hello = await writer.append(ROOT, [user('Hello')]);
    expect((await skein(home, ['tree', '--store', busy])).out).toContain('Hello');
    expect((await skein(home, ['bookmark', hello, 'Here', '--store', busy])).code).toBe(0);
    expect((await writer.bookmarks.list()).items).toMatchObject([{ node: hello, title: 'Here' }]);
    const refused = (await skein(home, ['pack', '--store', busy])).err;
    expect(refused).toContain(`Process ${process.pid} on ${hostname()} is using`);
    expect(refused).toContain('Stop it first');
    await writer.close();
    expect((await skein(home, ['pack', '--store', busy, '--json'])).json()).toMatchObject({ removed: 0 });
    expect((await skein(home, ['gc', '--store', busy])).out).toContain('records kept, 0 removed');
  });

  test('fsck of a damaged forest fails', async () => {
    const folder = join(home, 'damaged');
    const forest = await openForest(folder);
    await forest.append(ROOT, [user('Hello')]);
    await forest.close();
    damage(folder);
    const { code, json } = await skein(home, ['fsck', '--store', folder, '--json']);
    expect(code).toBe(1);
    expect(json().ok).toBe(false);
  });

  test('tree, log and export of a damaged forest show the rest, say where the damage is, and fail', async () => {
    const folder = join(home, 'damaged-in-part');
    const forest = await openForest(folder);
    const top = await forest.append(ROOT, [user('First')]);
    const below = await forest.append(await forest.append(top, [user('Hello')]), [user('Last')]);
    await forest.append(top, [user('Beside')]);
    await forest.close();
    damage(folder);
    for (const [args, shown] of [
      [['tree'], ['First', 'Last', 'Beside', '(damaged)']],
      [
        ['log', below],
        ['First', 'Last'],
      ],
      [
        ['export', '--format', 'markdown'],
        ['First', 'Beside'],
      ],
      [['export'], ['First', 'Last', 'Beside']],
    ] as const) {
      const { code, out, err } = await skein(home, [...args, '--store', folder]);
      for (const text of shown) expect(out).toContain(text);
      expect(out).not.toContain('Hallo');
      expect(err).toMatch(/damaged at \w+\.jsonl:\d+/);
      expect(code).toBe(1);
    }
    const packed = await skein(home, ['pack', '--store', folder]);
    expect(packed.err).toContain('set-aside');
    expect((await skein(home, ['tree', '--store', folder])).out).toContain('First');
  });
});

/** Changes one letter of the stored message. */
function damage(folder: string): void {
  const segments = join(folder, 'projects', 'default', 'segments');
  const file = join(segments, readdirSync(segments)[0]!);
  writeFileSync(file, readFileSync(file, 'utf8').replace('Hello', 'Hallo'));
}
