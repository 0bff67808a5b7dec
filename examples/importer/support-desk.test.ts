import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadConfig } from '@skein/agents';
import {
  createForest,
  defineImporter,
  type Forest,
  importFile,
  importFormats,
  memoryStore,
  openForest,
} from '@skein/forest';
import { createServer } from '@skein/server';
import { describe, expect, test, vi } from 'vitest';
import { createProgram } from '../../packages/cli/src/program.ts';
import { supportDesk } from './support-desk.mjs';

const chat = (ticket: string, question: string) => ({
  ticket,
  subject: `About ${question}`,
  lines: [
    { who: 'customer', text: question, at: '2026-11-01T10:00:00Z' },
    { who: 'bot', text: 'Have you tried to turn it off and on?', at: '2026-11-01T10:00:05Z', engine: 'm-1', mood: 7 },
  ],
});
const SOURCE = JSON.stringify([chat('t-1', 'the printer'), chat('t-2', 'the lamp')]);

async function chats(forest: Forest) {
  const { items } = await forest.threads.list();
  const paths = await Promise.all(items.map(({ head }) => forest.path(head)));
  return paths.map((path) => path.map(({ message }) => message.text)).sort();
}

const EXPECTED = [
  ['the lamp', 'Have you tried to turn it off and on?'],
  ['the printer', 'Have you tried to turn it off and on?'],
];

describe('an importer from outside of the packages', () => {
  test('is recognised by importFile, and importing twice is importing once', async () => {
    const forest = createForest(memoryStore());
    expect(await importFile(forest, [SOURCE])).toMatchObject({ format: 'support-desk', elements: 2, added: 4 });
    expect(await importFile(forest, [SOURCE])).toMatchObject({ added: 0, problems: [] });
    expect(await chats(forest)).toEqual(EXPECTED);
    const [thread] = (await forest.threads.list()).items;
    expect(thread!.title).toMatch(/^About the /);
    const { takes } = await forest.node(thread!.head);
    expect(takes).toMatchObject([{ author: 'model', model: 'm-1', extra: { mood: 7 }, via: 'import' }]);
  });

  test('reports a chat that it cannot read, and imports the others', async () => {
    const forest = createForest(memoryStore());
    const broken = { ticket: 't-3', lines: [{ who: 'customer' }] };
    const { problems, threads } = await importFile(forest, [JSON.stringify([chat('t-1', 'the printer'), broken])]);
    expect(threads).toHaveLength(1);
    expect(problems).toEqual([
      { code: 'wrong_shape', where: 'element 1', message: 'Expected an object with "text" as line 0.' },
    ]);
  });

  test('is there for the HTTP API', async () => {
    const forest = createForest(memoryStore());
    const { config } = await loadConfig({ cwd: '/', env: {}, home: '/nonexistent' });
    const { fetch } = createServer({ forest, config, env: {} });
    const send = (query: string) =>
      fetch(
        new Request(`http://localhost/api/v1/import${query}`, {
          method: 'POST',
          headers: { 'content-type': 'application/octet-stream', host: 'localhost' },
          body: SOURCE,
        }),
      );
    expect(await (await send('')).json()).toMatchObject({ format: 'support-desk', elements: 2 });
    expect(await (await send('?format=support-desk')).json()).toMatchObject({ added: 0 });
    expect((await send('?format=fax')).status).toBe(400);
    expect(await chats(forest)).toEqual(EXPECTED);
  });

  test('is there for skein import', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'skein-importer-'));
    const say = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
    vi.stubEnv('HOME', folder);
    try {
      writeFileSync(join(folder, 'chats.json'), SOURCE);
      const store = join(folder, 'forest');
      const args = ['import', join(folder, 'chats.json'), '--format', 'support-desk', '--store', store];
      await createProgram('0.0.0').parseAsync(args, { from: 'user' });
      expect(say.mock.calls.join('')).toContain('support-desk: 2 conversations, 4 messages, 4 of them new.');
      const forest = await openForest(store);
      expect(await chats(forest)).toEqual(EXPECTED);
      await forest.close();
    } finally {
      say.mockRestore();
      vi.unstubAllEnvs();
      rmSync(folder, { recursive: true });
    }
  });

  test('is listed with the others, and cannot take the name of a built-in one', () => {
    expect(importFormats()).toContainEqual({ id: 'support-desk', title: 'Support desk chats' });
    expect(() => defineImporter({ ...supportDesk, id: 'chatgpt' })).toThrow('The format chatgpt is built in');
    expect(() => defineImporter({ ...supportDesk, id: 'Support Desk' })).toThrow('cannot name a format');
  });
});
