/** Conversations come in from elsewhere, go out, go away and come back. */
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { inChromium, startApp } from './kit.ts';

inChromium();

const text = (content: string) => ({ content_type: 'text', parts: [content] });

/** One conversation with two answers, as ChatGPT exports it. */
const chatgpt = [
  {
    title: 'Knots',
    create_time: 1_760_000_000,
    update_time: 1_760_000_100,
    conversation_id: 'c-knots',
    current_node: 'a2',
    mapping: {
      top: { id: 'top', message: null, parent: null, children: ['u'] },
      u: {
        id: 'u',
        parent: 'top',
        children: ['a1', 'a2'],
        message: { id: 'u', author: { role: 'user' }, create_time: 1_760_000_001, content: text('A good knot?') },
      },
      a1: {
        id: 'a1',
        parent: 'u',
        children: [],
        message: { id: 'a1', author: { role: 'assistant' }, create_time: 1_760_000_002, content: text('A bowline.') },
      },
      a2: {
        id: 'a2',
        parent: 'u',
        children: [],
        message: {
          id: 'a2',
          author: { role: 'assistant' },
          create_time: 1_760_000_003,
          content: text('A figure eight.'),
        },
      },
    },
  },
];

const olderNode = (id: string, parent: string, children: readonly string[], message: object) => ({
  id,
  root_id: 'root-1',
  parent_id: parent,
  child_ids: children,
  message,
  metadata: { timestamp: '2025-01-01T00:00:01.000Z', original_root_id: 'root-1', source_info: { type: 'user' } },
});

/** A folder in the older layout, file by file. */
const older = {
  'roots.json': [{ id: 'root-1', createdAt: '2025-01-01T00:00:00.000Z', config: {}, child_ids: ['root-1/node-1'] }],
  'root-1/nodes/node-1.json': olderNode('root-1/node-1', 'root-1', ['root-1/node-2'], {
    role: 'user',
    content: 'An old question?',
  }),
  'root-1/nodes/node-2.json': olderNode('root-1/node-2', 'root-1/node-1', [], {
    role: 'assistant',
    content: 'An old answer.',
  }),
};

test('a ChatGPT export comes in with its branches', async () => {
  const { open } = await startApp();
  const page = await open('/');
  await page.getByText('No conversations yet', { exact: true }).waitFor();
  await page.getByLabel('Files to import').setInputFiles({
    name: 'conversations.json',
    mimeType: 'application/json',
    buffer: Buffer.from(JSON.stringify(chatgpt)),
  });
  await page
    .getByRole('article', { name: 'Import of conversations.json' })
    .getByText(/chatgpt/i)
    .first()
    .waitFor();
  await page.getByRole('main').getByRole('link', { name: /Knots/ }).first().click();
  await page.getByRole('article', { name: 'assistant message' }).getByText('A figure eight.').waitFor();
  await page.getByRole('group', { name: 'Branches' }).getByText('2/2').waitFor();
});

test('a folder in the older layout comes in', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'skein-older-'));
  await mkdir(join(folder, 'root-1', 'nodes'), { recursive: true });
  for (const [path, content] of Object.entries(older)) await writeFile(join(folder, path), JSON.stringify(content));
  try {
    const { open } = await startApp();
    const page = await open('/');
    await page.getByLabel('Folder to import').setInputFiles(folder);
    await page
      .getByRole('article', { name: /^Import of/ })
      .getByText(/older/i)
      .first()
      .waitFor();
    await page
      .getByRole('main')
      .getByRole('link', { name: /An old question/ })
      .first()
      .click();
    await page.getByRole('article', { name: 'assistant message' }).getByText('An old answer.').waitFor();
  } finally {
    await rm(folder, { recursive: true });
  }
});

test('a file that is nothing known is refused in words', async () => {
  const { open } = await startApp();
  const page = await open('/');
  await page
    .getByLabel('Files to import')
    .setInputFiles({ name: 'shopping.txt', mimeType: 'text/plain', buffer: Buffer.from('bread, milk') });
  await page.getByRole('article', { name: 'Import of shopping.txt' }).getByRole('alert').waitFor();
});

test('a conversation is deleted, brought back, and exported', async () => {
  const { open, forest } = await startApp();
  const { user } = await import('@skein/core');
  await forest.threads.create({ head: await forest.append('root', [user('Keep me?')]), title: 'Mine' });
  const page = await open('/');
  const more = page.getByRole('button', { name: 'More about Mine' });
  await more.click();
  await page.getByRole('menuitem', { name: /Delete/ }).click();
  await more.waitFor({ state: 'hidden' });
  await page.getByRole('status').getByRole('button', { name: /Undo/ }).click();
  await more.click();
  await page.getByRole('menuitem', { name: /export/i }).click();
  const dialog = page.getByRole('dialog');
  const started = page.waitForEvent('download');
  await dialog.getByRole('link', { name: /Download|Export/ }).click();
  const file = await (await started).path();
  expect(await readFile(file, 'utf8')).toContain('Keep me?');
});
