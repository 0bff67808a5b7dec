import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createForest } from '../forest/index.ts';
import { recordFetch } from '../record/index.ts';
import { memoryStore } from '../store/index.ts';
import { addIgnoreRules, cassetteFetch, checkCassettes, openCassettes } from './index.ts';

const URL_ = 'https://api.openai.com/v1/chat/completions';
const ask = (content: string, more: object = {}) => ({
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ model: 'gpt-5.2', messages: [{ role: 'user', content }], ...more }),
});
const provider = async () =>
  Response.json({ choices: [{ index: 0, message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' }] });

/** Cassettes of some requests, and a forest with what the program asks today. */
async function tapeAndTraffic(tape: readonly RequestInit[], today: readonly RequestInit[]) {
  const folder = mkdtempSync(join(tmpdir(), 'skein-check-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const recording = cassetteFetch({ cassette: folder, mode: 'record-missing', fetch: provider });
  for (const init of tape) await (await recording(URL_, init)).text();
  await recording.finish();
  const forest = createForest(memoryStore());
  const send = recordFetch(forest, { fetch: provider, tags: ['today'] });
  for (const init of today) await (await send(URL_, init)).text();
  await send.settled();
  return { folder, forest };
}

test('recorded requests are answered, or drifted from the cassette that is named, and cassettes that answer none are told', async () => {
  const { folder, forest } = await tapeAndTraffic(
    [ask('Hello'), ask('Name a river.'), ask('Never asked again')],
    [ask('Hello'), ask('Name a river and a lake.')],
  );
  const { drifted, ...rest } = await checkCassettes(forest, await openCassettes(folder));
  expect(rest).toEqual({
    requests: 2,
    hits: 1,
    elsewhere: 0,
    unused: ['0002-gpt-5.2.json', '0003-gpt-5.2.json'],
    // Another question is no volatile part: no rule may hide it.
    proposals: [],
  });
  expect(drifted).toMatchObject([
    { method: 'POST', path: '/v1/chat/completions', file: expect.stringMatching(/^000\d/) },
  ]);
  expect(drifted[0]!.message).toContain('they part at messages[0]');
  expect(drifted[0]!.message).not.toMatch(/cassette-\d{6}/);
  expect((await checkCassettes(forest, await openCassettes(folder), { tag: 'other' })).requests).toBe(0);
});

test('requests to addresses that no cassette has are those of other programs, and have not drifted', async () => {
  const { folder, forest } = await tapeAndTraffic([ask('Hello')], [ask('Hello')]);
  const send = recordFetch(forest, { fetch: provider });
  await (await send('https://api.anthropic.com/v1/messages', ask('Hello'))).text();
  await send.settled();
  const found = await checkCassettes(forest, await openCassettes(folder));
  expect(found).toMatchObject({ requests: 2, hits: 1, drifted: [], elsewhere: 1, proposals: [] });
});

test('rules are proposed for times and parameters, and with them the same requests are answered', async () => {
  const { folder, forest } = await tapeAndTraffic(
    [ask('It is 08:00. Hello'), ask('Name a river.', { user: 'kim' })],
    [ask('It is 09:30. Hello'), ask('Name a river.', { user: 'lee' })],
  );
  const { hits, proposals } = await checkCassettes(forest, await openCassettes(folder));
  expect(hits).toBe(0);
  expect(proposals.map(({ path, match }) => [path, match !== undefined])).toEqual([
    ['messages[0].content', true],
    ['user', false],
  ]);
  addIgnoreRules(folder, proposals);
  expect(await checkCassettes(forest, await openCassettes(folder))).toMatchObject({ hits: 2, drifted: [], unused: [] });
});

test('a rule that cannot be used is refused, and the rules stay as they were', async () => {
  const { folder } = await tapeAndTraffic([ask('Hello')], []);
  addIgnoreRules(folder, [{ path: 'user' }]);
  expect(() => addIgnoreRules(folder, [{ path: 'messages[', match: 'x' }])).toThrow(/ignore\.json was not written/);
  expect(() => addIgnoreRules(folder, [{ path: 'user', match: '(' }])).toThrow(/cannot be used/);
  expect((await openCassettes(folder)).ignore).toEqual([{ path: 'user' }]);
});
