import { appendFile, mkdir, mkdtemp, open, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createForest, type Forest } from '../../forest/index.ts';
import { memoryStore } from '../../store/index.ts';
import { importSessions } from './import-sessions.ts';
import { CLAUDE_CODE_LOG, CODEX_LOG, GEMINI_CLI_COMPACTED, PI_LOG } from './test-session-logs.ts';

const LOGS = [
  { agent: 'claude-code', name: '.claude/projects/-shop/session-1.jsonl', text: CLAUDE_CODE_LOG },
  { agent: 'codex', name: '.codex/sessions/2026/rollout-1.jsonl', text: CODEX_LOG },
  { agent: 'gemini-cli', name: '.gemini/tmp/shop/chats/session-1.jsonl', text: GEMINI_CLI_COMPACTED },
  { agent: 'pi', name: '.pi/agent/sessions/--shop--/1.jsonl', text: PI_LOG },
];

let home: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'skein-read-on-'));
  for (const { name } of LOGS) await mkdir(dirname(join(home, name)), { recursive: true });
});
afterEach(() => rm(home, { recursive: true }));

function read(forest: Forest, agent: string) {
  return importSessions(forest, { env: { HOME: home }, agents: [agent] });
}

/** What a thread says, what it cost, and what the model got after compactions. */
async function describe(forest: Forest) {
  const { items } = await forest.threads.list();
  return Promise.all(
    items.map(async ({ head, title, createdAt, cwd, branch }) => {
      const path = await forest.path(head);
      const usage = path.map(({ takes }) => takes.flatMap((take) => take.usage ?? []).length);
      const { items: checkpoints } = await forest.store.refs({
        on: 'node',
        keys: path.map(({ id }) => id),
        limit: 100,
      });
      const replaced = checkpoints.filter(({ name }) => name.startsWith('checkpoint')).map(({ value }) => value);
      return { ids: path.map(({ id }) => id), usage, replaced, title, createdAt, cwd, branch };
    }),
  );
}

test.each(LOGS)(
  'a log of $agent that grows is the same session in the end, wherever it was cut when it was read',
  async ({ agent, name, text }) => {
    const path = join(home, name);
    const whole = createForest(memoryStore());
    await writeFile(path, text);
    await read(whole, agent);
    const expected = await describe(whole);
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(text.length), { minLength: 1, maxLength: 5 }), async (cuts) => {
        const forest = createForest(memoryStore());
        await rm(path);
        let written = 0;
        for (const cut of [...cuts.sort((a, b) => a - b), text.length]) {
          await appendFile(path, text.slice(written, cut));
          written = cut;
          expect((await read(forest, agent)).problems).toEqual([]);
        }
        expect(await describe(forest)).toEqual(expected);
      }),
      { numRuns: 25 },
    );
  },
);

/** Entries of pi, one behind the other. */
function entries(from: number, to: number, words = ''): string {
  const lines = Array.from({ length: to - from }, (_, index) => {
    const [id, parentId] = [`n${from + index}`, from + index === 0 ? 'e8' : `n${from + index - 1}`];
    const message = { role: 'user', content: [{ type: 'text', text: `Question ${from + index}${words}` }] };
    return `${JSON.stringify({ type: 'message', id, parentId, timestamp: '2026-11-01T12:01:00.000Z', message })}\n`;
  });
  return lines.join('');
}

test('what was read of a log is not read again, unless the log begins with something else by now', async () => {
  const { agent, name, text } = LOGS[3]!;
  const path = join(home, name);
  const forest = createForest(memoryStore());
  await writeFile(path, text + entries(0, 60));
  await read(forest, agent);
  // Nobody changes a log in its middle: this shows that only what is new was read.
  const file = await open(path, 'r+');
  await file.write('#'.repeat(100), text.length + 2000);
  await file.close();
  await appendFile(path, entries(60, 61));
  expect(await read(forest, agent)).toMatchObject({ added: 1, messages: 1, problems: [] });
  await writeFile(path, text.replace('pi-1', 'pi-2') + entries(0, 70));
  const { threads, problems } = await read(forest, agent);
  expect(problems).toEqual([]);
  expect((await forest.threads.list()).items).toHaveLength(2);
  const { head } = await forest.threads.get(threads[0]!);
  expect((await forest.path(head)).at(-1)!.message.text).toBe('Question 69');
});

test('another session at the path of a short one is a conversation of its own, with its title', async () => {
  const { agent, name, text } = LOGS[3]!;
  const forest = createForest(memoryStore());
  await writeFile(join(home, name), text.split('\n', 3).join('\n'));
  await read(forest, agent);
  await writeFile(join(home, name), text.replace('pi-1', 'pi-2').replaceAll('What is', 'Where is'));
  await read(forest, agent);
  const { items } = await forest.threads.list();
  expect(items.map(({ title }) => title !== '')).toEqual([true, true]);
});

test('a message that follows one from long ago is put there, although only the end of the log is read', async () => {
  const { agent, name, text } = LOGS[3]!;
  const path = join(home, name);
  const forest = createForest(memoryStore());
  await writeFile(path, text + entries(0, 200));
  const { threads } = await read(forest, agent);
  await appendFile(path, entries(200, 201).replace('"n199"', '"n3"'));
  expect(await read(forest, agent)).toMatchObject({ threads, added: 1, problems: [] });
  const path_ = await forest.path((await forest.threads.get(threads[0]!)).head);
  expect(path_.slice(-2).map(({ message }) => message.text)).toEqual(['Question 3', 'Question 200']);
});

test('a log that is longer than what is in memory at once is one conversation', async () => {
  const { agent, name, text } = LOGS[3]!;
  const path = join(home, name);
  const forest = createForest(memoryStore());
  const long = ` ${'word '.repeat(4000)}`;
  await writeFile(path, text + entries(0, 500, long));
  const { threads, problems, messages } = await read(forest, agent);
  expect([threads.length, problems, messages]).toEqual([1, [], 508]);
  // Two of them are on another branch.
  expect(await forest.path((await forest.threads.get(threads[0]!)).head)).toHaveLength(506);
});

test('a line that is longer than a text can be is told, and the rest and the other logs are read all the same', async () => {
  const path = join(home, LOGS[3]!.name);
  await writeFile(path, LOGS[3]!.text);
  await truncate(path, 2 ** 27 + 2 ** 20);
  await appendFile(path, `\n${entries(0, 1)}`);
  await writeFile(join(dirname(path), '2.jsonl'), LOGS[3]!.text.replace('pi-1', 'pi-2'));
  const forest = createForest(memoryStore());
  const { threads, problems } = await read(forest, 'pi');
  expect(problems).toMatchObject([{ code: 'unreadable' }]);
  expect(threads).toHaveLength(2);
  expect((await forest.search('Question 0')).items).toHaveLength(1);
});
