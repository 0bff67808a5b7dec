import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { assistant, user } from '@skein/core';
import { says, startEmulator } from '@skein/emulator';
import { openForest, ROOT } from '@skein/forest';
import { afterAll, expect, test } from 'vitest';
import { skein } from './skein.ts';

const home = mkdtempSync(join(tmpdir(), 'skein-rerun-'));
const store = join(home, 'forest');
afterAll(() => rmSync(home, { recursive: true, force: true }));

test('answers of other models stand beside the original, are checked and rated, and are not paid for twice', async () => {
  const forest = await openForest(store);
  const question = await forest.append(ROOT, [user('The capital of Norway, as JSON?')]);
  const original = await forest.append(question, [assistant('Bergen')]);
  const thread = await forest.threads.create({ head: original, title: 'Norway' });
  await forest.close();
  const siblings = async () => {
    const now = await openForest(store);
    const { items } = await now.children(question);
    await now.close();
    return items.map(({ message, takes, marks }) => [message.text, takes.length, marks.rating]);
  };

  const emulator = await startEmulator();
  const oslo = '{"city":"Oslo"}';
  // The second answer has the same bytes as the first.
  emulator.script('openai-chat', [says(oslo), says(oslo), says('Oslo, I think.'), says(oslo), says(oslo)]);
  emulator.script('anthropic-messages', [says('Trondheim'), says(oslo)]);
  emulator.script('google-generatecontent', [says('4.5'), says('No number.'), says('I give it a -2.'), says('5')]);
  const env = emulator.env();
  const schema = join(home, 'schema.json');
  writeFileSync(schema, JSON.stringify({ type: 'object', required: ['city'] }));
  const models = ['--model', 'openai-chat/gpt-5.5', '--model', 'anthropic/claude-sonnet-4-5'];
  const rerun = (...more: string[]) => skein(home, ['rerun', thread.id, '--store', store, ...more], '', env);

  const judged = ['-n', '2', '--check', 'text.includes("Oslo")', '--judge', 'google/gemini-3-pro', '--json'];
  const first = await rerun(...models, ...judged);
  expect(first.json().answers).toMatchObject([
    { model: 'openai-chat/gpt-5.5', status: 'done', passed: true, rating: 4.5, differs: true, isKept: false },
    { model: 'openai-chat/gpt-5.5', passed: true, rating: 4.5, cost: expect.any(Number) },
    { model: 'anthropic/claude-sonnet-4-5', passed: false, characters: 9 },
    { model: 'anthropic/claude-sonnet-4-5', passed: true, rating: -2 },
  ]);
  // A check that fails fails the command, so that scripts notice.
  expect(first.code).toBe(1);
  expect(await siblings()).toEqual([
    ['Bergen', 1, undefined],
    [oslo, 2, 4.5],
    ['Trondheim', 1, undefined],
    [oslo, 1, -2],
  ]);

  const asked = emulator.log.length;
  const again = await rerun(...models, '-n', '2', '--schema', schema);
  expect(emulator.log).toHaveLength(asked);
  expect(again.out.match(/from an earlier run/g)).toHaveLength(4);
  expect(again.out.match(/passed/g)).toHaveLength(3);

  // One more answer costs more than the limit; the next ones are left for another run.
  const limited = await rerun(...models, '-n', '4', '--max-cost', '0.0000001');
  expect(limited.err).toContain('5 answers are missing: the limit of cost was reached');
  expect(emulator.log).toHaveLength(asked + 1);
  const rest = await rerun('--model', 'openai-chat/gpt-5.5', '-n', '4');
  expect(rest).toMatchObject({ code: 0 });
  expect(emulator.log).toHaveLength(asked + 2);
  expect(rest.err).toContain('shows the answers beside the originals');
  await emulator.close();

  expect((await rerun(...models, '--max-cost', 'much')).err).toContain('--max-cost takes dollars');
  expect((await rerun(...models, '--check', 'text.')).err).toContain('--check is no JavaScript expression');
});
