import { readFileSync, rmSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { user } from '@skein/core';
import { describe, expect, test } from 'vitest';
import {
  createForest,
  type Forest,
  importFile,
  memoryStore,
  olderSettings,
  openForest,
  openOlder,
  type Store,
  verifyOlder,
} from '../../index.ts';
import { createClock } from '../../model/clock.ts';
import { exampleFolder, newFolder, put, putNode, snapshot } from './test-folder.ts';

const open = (folder: string, store: Store = memoryStore()) => openOlder(folder, { store });
const texts = async (forest: Forest, id: string) => (await forest.path(id)).map(({ message }) => message.text);
const ids = (nodes: readonly { readonly id: string }[]) => nodes.map(({ id }) => id);

describe('a folder of the older layout opens as a forest', () => {
  test('the system prompt leads, branches are branches, both shapes of messages are read', async () => {
    const forest = await open(exampleFolder());
    const { items: top } = await forest.children('root');
    expect(top.map(({ role, message }) => [role, message.text])).toEqual([['system', 'You are a helpful assistant.']]);
    const { items: asked } = await forest.children(top[0]!.id);
    const { items: answers } = await forest.children(asked[0]!.id);
    expect(asked[0]).toMatchObject({
      role: 'user',
      marks: { tags: ['x'] },
      at: Date.parse('2025-01-01T00:00:01.000Z'),
    });
    expect(answers.map(({ message }) => message.toolUses[0]?.name).sort()).toEqual(['get_weather', 'search']);
    expect(await texts(forest, 'root-1/node-4')).toEqual([
      'You are a helpful assistant.',
      'Weather in Paris?',
      'Let me check.',
      'Sunny.',
    ]);
    expect(forest.store.problems()).toEqual([]);
    expect(await forest.fsck()).toEqual([]);
  });

  test('how each node came to be is in its take', async () => {
    const forest = await open(exampleFolder());
    expect((await forest.node('root-1/node-2')).takes).toMatchObject([
      {
        author: 'model',
        via: 'import',
        provider: 'openai',
        model: 'gpt-4o-mini',
        params: { max_tokens: 1024 },
        usage: { input: 10, output: 5 },
        stop: { reason: 'tool-use', native: 'tool_calls' },
        extra: { older: 'root-1/node-2', source_info: { type: 'model', tools: [], tool_choice: 'auto' } },
      },
    ]);
    expect((await forest.node('root-1/node-1')).takes[0]).toMatchObject({
      author: 'person',
      extra: { tags: ['x'], custom_data: { k: 1 }, split_source: 'root-1/node-9' },
    });
    // Before they had members of their own, the model stood in the parameters and the provider in the root.
    expect((await forest.node('root-1/node-3')).takes[0]).toMatchObject({ model: 'gpt-3.5', provider: 'openai' });
  });

  test('threads, bookmarks and deleted roots', async () => {
    const forest = await open(exampleFolder());
    const { items } = await forest.threads.list();
    expect(items).toMatchObject([{ id: 'older:root-1:node-1', head: await forest.resolve('root-1/node-3') }]);
    expect((await forest.threads.list({ deleted: true })).items).toMatchObject([{ id: 'older:root-2:node-1' }]);
    expect((await forest.node('root-2/node-1')).removed).toBe(true);
    expect((await forest.bookmarks.list()).items).toMatchObject([
      { title: 'The call', node: await forest.resolve('root-1/node-2') },
    ]);
    await forest.restore(await forest.resolve('root-2/node-1'));
    expect((await forest.node('root-2/node-1')).removed).toBe(false);
  });

  test('a root that is deleted again is hidden, also where a machine whose clock is ahead had brought it back', async () => {
    const folder = exampleFolder();
    const store = memoryStore();
    const roots = JSON.parse(readFileSync(join(folder, 'roots.json'), 'utf8'));
    const setDeleted = (deleted: boolean) =>
      put(
        folder,
        'roots.json',
        roots.map((root: { id: string }) => (root.id === 'root-2' ? { ...root, deleted } : root)),
      );
    setDeleted(false);
    const before = await open(folder, store);
    expect((await before.threads.list()).items).toHaveLength(2);
    const id = await before.resolve('root-2/node-1');
    const clock = createClock('ahead', () => Date.now() + 3_600_000);
    await store.append([{ k: 'ref', on: 'node', key: id, name: 'removed', value: false, clock: clock.tick() }]);
    setDeleted(true);
    const after = await open(folder, store);
    expect((await after.threads.list()).items).toHaveLength(1);
    expect((await after.node(id)).removed).toBe(true);
  });

  test('nodes are converted only when they are met', async () => {
    const store = memoryStore();
    const forest = await open(exampleFolder(), store);
    expect((await store.scan()).items).toEqual([]);
    await forest.node('root-1/node-1');
    const known = (await store.refs({ on: 'older', names: ['node'] })).items.map(({ key }) => key);
    expect(known).not.toContain('root-1/node-4');
    expect(known).toContain('root-1/node-1');
  });

  test('a search finds what was never met', async () => {
    const forest = await open(exampleFolder());
    const { items } = await forest.search('sunny');
    expect(items).toMatchObject([{ node: await forest.resolve('root-1/node-4') }]);
  });

  test('its files are never changed, and what is new goes beside them', async () => {
    const folder = exampleFolder();
    const before = snapshot(folder);
    const store = memoryStore();
    const forest = await open(folder, store);
    const added = await forest.append('root-1/node-4', [user('Thanks')]);
    await forest.remove('root-1/node-3');
    await forest.topology();
    expect(snapshot(folder)).toEqual(before);
    const again = await open(folder, store);
    expect((await texts(again, added)).at(-1)).toBe('Thanks');
    expect((await again.node('root-1/node-3')).removed).toBe(true);
  });

  test('opening it again, or at once twice, gives the same nodes', async () => {
    const folder = exampleFolder();
    const store = memoryStore();
    const [one, two] = await Promise.all([open(folder, store), open(folder, store)]);
    const [a, b] = await Promise.all([one.topology(), two.topology()]);
    expect(ids(a.items)).toEqual(ids(b.items));
    expect(ids((await (await open(folder)).topology()).items).sort()).toEqual(ids(a.items).sort());
    expect((await store.takes(ids(a.items))).length).toBe(a.items.length);
  });
});

test('settings that do not carry over are named, without what they say', async () => {
  const folder = exampleFolder();
  put(
    folder,
    'config.home.toml',
    '[providers.openai]\napiKey = "sk-secret"\n[defaults]\nn = 5\n[presets.a]\nn = 1\n[[mcp_servers]]\nname = "x"\n',
  );
  put(folder, 'config.bad.toml', 'a = = "sk-secret"');
  expect(await olderSettings(folder)).toEqual([
    { file: 'config.home.toml', names: ['defaults', 'presets', 'mcp_servers'] },
  ]);
});

test('openForest opens such a folder, and keeps what is new in segments beside the files', async () => {
  const folder = exampleFolder();
  const before = snapshot(folder);
  const forest = await openForest(folder);
  const added = await forest.append('root-1/node-4', [user('Thanks')]);
  const all = ids((await forest.topology()).items).sort();
  await forest.close();
  const again = await openForest(folder);
  expect((await texts(again, added)).at(-1)).toBe('Thanks');
  expect(ids((await again.topology()).items).sort()).toEqual(all);
  expect((await again.threads.list()).items).toHaveLength(1);
  expect(await again.fsck()).toEqual([]);
  await again.close();
  expect(snapshot(folder)).toMatchObject(before);
});

describe('what another program changes is noticed', () => {
  test('a message that was edited in place: the old id leads to the new node, and what is below follows', async () => {
    const folder = exampleFolder();
    const forest = await open(folder);
    const old = await forest.resolve('root-1/node-1');
    const oldLeaf = await forest.resolve('root-1/node-4');
    putNode(folder, 'root-1/node-1', {
      message: { role: 'user', content: 'Weather in Rome, then?' },
      children: ['root-1/node-2'],
    });
    expect((await forest.node(old)).message.text).toBe('Weather in Rome, then?');
    expect(await texts(forest, 'root-1/node-4')).toEqual([
      'You are a helpful assistant.',
      'Weather in Rome, then?',
      'Let me check.',
      'Sunny.',
    ]);
    expect(await forest.resolve(oldLeaf)).toBe(await forest.resolve('root-1/node-4'));
  });

  test('and back again', async () => {
    const folder = exampleFolder();
    const forest = await open(folder);
    const first = { message: { role: 'user', content: 'A' }, children: [] };
    putNode(folder, 'root-1/node-1', first);
    const a = await forest.resolve('root-1/node-1');
    putNode(folder, 'root-1/node-1', { ...first, message: { role: 'user', content: 'Quite another' } });
    const b = await forest.resolve('root-1/node-1');
    putNode(folder, 'root-1/node-1', first);
    utimesSync(join(folder, 'root-1/nodes/node-1.json'), new Date(), new Date(Date.now() + 5000));
    expect(await forest.resolve('root-1/node-1')).toBe(a);
    expect(await forest.resolve(b)).toBe(a);
    expect((await forest.node(a)).removed).toBe(false);
  });

  test('indenting a file anew changes nothing', async () => {
    const folder = exampleFolder();
    const forest = await open(folder);
    const before = await forest.resolve('root-1/node-2');
    const { readFileSync } = await import('node:fs');
    put(
      folder,
      'root-1/nodes/node-2.json',
      JSON.stringify(JSON.parse(readFileSync(join(folder, 'root-1/nodes/node-2.json'), 'utf8'))),
    );
    expect(await forest.resolve('root-1/node-2')).toBe(before);
  });

  test('new nodes appear, and those whose files are gone are removed', async () => {
    const folder = exampleFolder();
    const forest = await open(folder);
    const gone = await forest.resolve('root-1/node-3');
    await forest.children('root-1/node-1');
    putNode(folder, 'root-1/node-5', { parent: 'root-1/node-1', message: { role: 'assistant', content: 'Rain' } });
    rmSync(join(folder, 'root-1/nodes/node-3.json'));
    putNode(folder, 'root-1/node-1', {
      message: { role: 'user', content: 'Weather in Paris?' },
      children: ['root-1/node-2', 'root-1/node-5'],
    });
    const { items } = await forest.children('root-1/node-1');
    expect(items.map(({ message }) => message.text).sort()).toEqual(['Let me check.', 'Rain']);
    expect((await forest.node(gone)).removed).toBe(true);
  });
});

const BROKEN: readonly (readonly [string, unknown])[] = [
  ['content without blocks', { role: 'user', content: [] }],
  ['an unknown block', { role: 'user', content: [{ type: 'hologram' }] }],
  ['a call by a user', { role: 'user', content: [{ type: 'tool-use', id: 'c', name: 'f', parameters: {} }] }],
  [
    'a call by a tool',
    { role: 'tool', tool_call_id: 'c', content: [{ type: 'tool-use', id: 'c', name: 'f', parameters: {} }] },
  ],
  ['a result without its call', { role: 'tool', content: 'x' }],
  ['neither text nor calls', { role: 'assistant', content: null, tool_calls: [] }],
  [
    'arguments that are no object',
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: '[1]' } }],
    },
  ],
  ['no message', undefined],
];

describe('broken files', () => {
  test.each(BROKEN)('%s: reported by name, and its siblings are there', async (_, message) => {
    const folder = exampleFolder();
    putNode(folder, 'root-1/node-3', { parent: 'root-1/node-1', message });
    const forest = await open(folder);
    const { items } = await forest.children('root-1/node-1');
    expect(items.map(({ message: one }) => one.text)).toEqual(['Let me check.']);
    expect(forest.store.problems()).toMatchObject([{ code: 'unreadable-file', where: 'root-1/nodes/node-3.json' }]);
    await expect(forest.node('root-1/node-3')).rejects.toThrow('root-1/nodes/node-3.json cannot be read');
    expect(await verifyOlder(folder)).toMatchObject({ read: 5, converted: 4, unreadable: 1 });
  });

  test.each([
    ['half a file', '{"id":"root-1/node-3","root_'],
    ['bytes that are no text', '\ud800{'],
    ['another id', { id: 'root-1/node-2', parent_id: 'root-1/node-1', message: { role: 'user', content: 'x' } }],
    [
      'a path out of the folder',
      { id: 'root-1/node-3', parent_id: '../../etc/passwd', message: { role: 'user', content: 'x' } },
    ],
  ])('%s', async (_, content) => {
    const folder = exampleFolder();
    put(folder, 'root-1/nodes/node-3.json', content);
    const report = await verifyOlder(folder);
    expect(report).toMatchObject({ read: 5, converted: 4, unreadable: 1 });
    expect(report.problems.map(({ where }) => where)).toEqual(['root-1/nodes/node-3.json']);
  });

  test('what hangs below a broken file is reported, too; when it is put right, all is there', async () => {
    const folder = exampleFolder();
    const before = snapshot(folder)['root-1/nodes/node-2.json']!;
    put(folder, 'root-1/nodes/node-2.json', '{');
    const forest = await open(folder);
    expect((await forest.search('sunny')).items).toEqual([]);
    const broken = forest.store.problems().map(({ where }) => where);
    expect(broken.sort()).toEqual(['root-1/nodes/node-2.json', 'root-1/nodes/node-4.json']);
    put(folder, 'root-1/nodes/node-2.json', before.slice(before.indexOf(' ') + 1));
    await forest.search('sunny');
    expect(forest.store.problems()).toEqual([]);
  });

  test('a file that is listed and not there, and roots that are broken', async () => {
    const folder = exampleFolder();
    rmSync(join(folder, 'root-1/nodes/node-4.json'));
    expect((await verifyOlder(folder)).problems).toMatchObject([{ where: 'root-1/nodes/node-4.json' }]);
    put(folder, 'roots.json', '[{');
    const report = await verifyOlder(folder);
    expect(report).toMatchObject({ read: 4, converted: 0, unreadable: 4 });
    expect(report.problems.map(({ where }) => where)).toContain('roots.json');
  });

  test('one broken root does not hide the others', async () => {
    const folder = exampleFolder();
    put(folder, 'roots.json', [{ id: '../x' }, 7, { id: 'root-2', child_ids: ['root-2/node-1'] }]);
    const forest = await open(folder);
    expect((await forest.children('root')).items.map(({ message }) => message.text)).toEqual(['Forget this']);
    expect(forest.store.problems()).toMatchObject([{ where: 'roots.json' }]);
  });

  test('a broken configuration is reported without its words, which may be keys', async () => {
    const folder = exampleFolder();
    put(folder, 'config.toml', 'apiKey = "sk-secret\n');
    const { problems } = await verifyOlder(folder);
    expect(problems).toMatchObject([{ where: 'config.toml' }]);
    expect(JSON.stringify(problems)).not.toContain('sk-secret');
  });

  test('a folder without roots is not one of these', async () => {
    await expect(open(newFolder())).rejects.toMatchObject({ code: 'unknown_format' });
    await expect(verifyOlder(newFolder())).rejects.toMatchObject({ code: 'unknown_format' });
  });
});

describe('verify and import', () => {
  test('verify writes nothing', async () => {
    const folder = exampleFolder();
    const before = snapshot(folder);
    expect(await verifyOlder(folder)).toEqual({ read: 5, converted: 5, unreadable: 0, problems: [] });
    expect(snapshot(folder)).toEqual(before);
  });

  test('an import has the nodes of opening it, and twice is once', async () => {
    const folder = exampleFolder();
    const forest = createForest(memoryStore());
    const imported = await importFile(forest, folder);
    expect(imported).toMatchObject({ format: 'older', messages: 5, added: 5, problems: [] });
    expect(imported.threads).toHaveLength(2);
    const opened = await open(folder);
    const all = { withRemoved: true };
    expect(ids((await forest.topology(all)).items).sort()).toEqual(ids((await opened.topology(all)).items).sort());
    expect((await forest.bookmarks.list()).items).toHaveLength(1);
    const before = await forest.store.changes();
    expect(await importFile(forest, folder)).toMatchObject({ messages: 5, added: 0 });
    expect((await forest.store.changes(before.next)).items).toEqual([]);
  });
});
