import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { says, startEmulator } from '@skein/emulator';
import { openForest } from '@skein/forest';
import { afterAll, expect, test } from 'vitest';
import { skein } from './skein.ts';

const home = mkdtempSync(join(tmpdir(), 'skein-until-'));
afterAll(() => rmSync(home, { recursive: true, force: true }));

const AGENT = fileURLToPath(new URL('programs/sdk-agent.mjs', import.meta.url));
const notes = (text: string) => ({ blocks: [{ type: 'tool-use' as const, name: 'note', input: { text } }] });

/** The API that an agent speaks, and the model of another vendor that takes over. */
const APIS = [
  ['chat', 'openai-chat', 'anthropic/claude-sonnet-4-5', 'anthropic-messages'],
  ['responses', 'openai-responses', 'google/gemini-3-pro', 'google-generatecontent'],
  ['anthropic', 'anthropic-messages', 'openai/gpt-5.2', 'openai-responses'],
  ['google', 'google-generatecontent', 'anthropic/claude-sonnet-4-5', 'anthropic-messages'],
] as const;

const CASES = APIS.flatMap((one) => ['whole', 'stream'].map((how) => [one[0], how, ...one.slice(1)] as const));

test.each(CASES)(
  "replay --until: an agent on the vendor's SDK (%s, %s) goes on with another model, and its tools run again",
  async (api, how, dialect, then, other) => {
    const emulator = await startEmulator();
    emulator.script(dialect as 'openai-chat', [notes('First'), notes('Second'), says('Done by the first.')]);
    emulator.script(other as 'openai-chat', [notes('Third'), says('Done by the other.')]);
    const env = emulator.env();
    const file = join(home, `${api}-${how}.txt`);
    const command = ['--', process.execPath, AGENT, api!, how!, file];
    const store = join(home, `${api}-${how}`);
    const recorded = await skein(home, ['record', '--store', store, ...command], '', env);
    expect(recorded).toMatchObject({ code: 0, out: 'Done by the first.\n' });
    const [, thread = ''] = /skein log (\w+)/.exec(recorded.err) ?? [];
    const before = await openForest(store);
    const path = await before.path((await before.threads.get(thread)).head);
    const [, second] = path.filter(({ role }) => role === 'assistant');
    await before.close();

    const asked = emulator.log.length;
    const until = ['replay', '--store', store, '--until', second!.id, '--then', then!];
    const replayed = await skein(home, [...until, ...command], '', env);
    expect(replayed.err).toContain('2 answers came from the recording.');
    expect(replayed).toMatchObject({ code: 0, out: 'Done by the other.\n' });
    expect(readFileSync(file, 'utf8')).toBe('First\nSecond\nFirst\nSecond\nThird\n');
    expect(emulator.log.length - asked).toBe(2);

    // The result is a branch: behind the same second call, beside the first end.
    const after = await openForest(store);
    const { items: threads } = await after.threads.list();
    const ends = await Promise.all(
      (await after.children(path.at(-2)!.id)).items.map(async ({ id }) => (await after.node(id)).message),
    );
    expect(ends.map(({ text, toolUses }) => text || toolUses[0]?.parameters)).toEqual([
      'Done by the first.',
      { text: 'Third' },
    ]);
    const heads = await Promise.all(threads.map(async ({ head }) => (await after.node(head)).message.text));
    expect(heads).toContain('Done by the other.');
    await after.close();
    await emulator.close();
  },
);
