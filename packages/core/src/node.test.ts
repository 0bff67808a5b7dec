import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { MessageList } from './conversation/index.ts';
import { user } from './message/index.ts';
import { loadMessages, saveMessages } from './node.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'skein-'));
});
afterEach(() => rm(folder, { recursive: true }));

describe('messages in a file', () => {
  it('come back with their exact texts', async () => {
    const path = join(folder, 'chat.json');
    await saveMessages(path, [user('Grüße \ud800')]);
    expect((await loadMessages(path)).at(0)?.raw).toBe(user('Grüße \ud800').raw);
    expect(await readdir(folder)).toEqual(['chat.json']);
  });

  it('are saved into a folder that is not there yet', async () => {
    const path = join(folder, 'talks', 'today', 'chat.json');
    await saveMessages(path, [user('Hi')]);
    expect((await loadMessages(path)).at(0)?.text).toBe('Hi');
  });

  it('are never loaded with characters replaced', async () => {
    const path = join(folder, 'chat.json');
    await writeFile(path, Buffer.from(JSON.stringify(new MessageList([user('Grüße')])), 'latin1'));
    await expect(loadMessages(path)).rejects.toThrow('not UTF-8');
  });

  it('leave the old file whole when saving fails', async () => {
    const path = join(folder, 'chat.json');
    await writeFile(path, 'old');
    const broken = [user('a'), { ...user('b'), raw: 1n }] as never;
    await expect(saveMessages(path, broken)).rejects.toThrow();
    expect(await readFile(path, 'utf8')).toBe('old');
    expect(await readdir(folder)).toEqual(['chat.json']);
  });

  it('name what is wrong in a damaged file', async () => {
    const path = join(folder, 'chat.json');
    await writeFile(path, '{"format":"skein/messages","version":1,"origins":');
    await expect(loadMessages(path)).rejects.toThrow(/Invalid JSON at offset 49/);
  });
});
