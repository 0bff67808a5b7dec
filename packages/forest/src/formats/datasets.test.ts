import { assistant, openaiChat, system, toolResult, user } from '@skein/core';
import { expect, test } from 'vitest';
import { createForest, type ExportOptions, exportText, type Forest, memoryStore } from '../index.ts';
import { sha256 } from '../model/ids.ts';

const KEY = 'sk-ant-api03-abcdefghijklmnopqrstuvwxyz';

async function exported(forest: Forest, options: ExportOptions): Promise<string> {
  let text = '';
  for await (const piece of exportText(forest, options)) text += piece;
  return text;
}

const lines = async (forest: Forest, options: ExportOptions) =>
  (await exported(forest, options))
    .trim()
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));

/** A conversation with a system text, a tool, thoughts and a rating; and one that says the same as another. */
async function example() {
  const forest = createForest(memoryStore());
  const tools = JSON.stringify([{ name: 'look', description: 'Looks', parameters: { type: 'object' } }]);
  await forest.store.append([{ k: 'body', digest: sha256(tools), text: tools }]);
  const usage = { input: 10, cacheRead: 5, cacheWrite5m: 0, cacheWrite1h: 0, output: 7, reasoning: 0, native: '{}' };
  const called = await forest.append(
    'root',
    [
      system('Be brief.'),
      user(`Weather? My key is ${KEY}, and {{ env.KEY }} is a template, {# as is #} this.`),
      assistant([
        { type: 'text', text: 'Let me look.' },
        { type: 'tool-use', id: 'c1', name: 'look', parameters: { n: 1 }, rawParameters: '{"n":1}' },
      ]),
      toolResult('c1', 'Sun'),
    ],
    { at: 1000 },
  );
  const reply = openaiChat.parseMessage('{"role":"assistant","content":"=Sunny, {{ now }}"}', { model: 'gpt-5.5' });
  const sunny = await forest.append(called, [reply], {
    ...{ at: 2000, author: 'model', model: 'gpt-5.5', provider: 'openai', usage, cost: 0.25 },
    context: { system: [], tools: sha256(tools) },
  });
  await forest.rate(sunny, 4);
  const thread = await forest.threads.create({ head: sunny, title: 'Weather' });
  await forest.threads.tag(thread.id, { good: true });
  const rain = await forest.append('root', [user('Rain?'), assistant('No.')], { at: 9000, model: 'm', cost: 3 });
  // The same words in the JSON of another protocol.
  await forest.append('root', [openaiChat.parseMessage('{"role":"user","content":"Rain? "}'), assistant('No.')], {
    at: 9500,
  });
  return { forest, sunny, rain, thread };
}

test('each format has the shape that its consumer documents, with tools, and says what it has no place for', async () => {
  const { forest, sunny, thread } = await example();
  const of = { thread: thread.id };
  const [openai] = await lines(forest, { format: 'fine-tuning', of });
  expect(openai.messages.map(({ role }: { role: string }) => role)).toEqual([
    ...['system', 'user', 'assistant', 'tool', 'assistant'],
  ]);
  expect(openai.tools).toMatchObject([{ type: 'function', function: { name: 'look' } }]);
  expect((await lines(forest, { format: 'fine-tuning', of, tools: false }))[0].tools).toBeUndefined();
  const [anthropic] = await lines(forest, { format: 'anthropic', of });
  expect(anthropic).toMatchObject({ system: 'Be brief.', tools: [{ name: 'look', input_schema: { type: 'object' } }] });
  expect(anthropic.messages.map(({ role }: { role: string }) => role)).toEqual([
    ...['user', 'assistant', 'user', 'assistant'],
  ]);

  const lost: string[] = [];
  const onLosses: ExportOptions['onLosses'] = ({ losses }) => lost.push(...losses.map(({ detail = '' }) => detail));
  const [sharegpt] = await lines(forest, { format: 'sharegpt', of, onLosses });
  expect(sharegpt.system).toBe('Be brief.');
  expect(JSON.parse(sharegpt.tools)).toMatchObject([{ name: 'look', description: 'Looks' }]);
  expect(sharegpt.conversations.slice(1)).toEqual([
    { from: 'function_call', value: '{"name":"look","arguments":{"n":1}}' },
    { from: 'observation', value: 'Sun' },
    { from: 'gpt', value: '=Sunny, {{ now }}' },
  ]);
  expect(lost).toEqual(['text beside a call']);

  const [inspect] = await lines(forest, { format: 'inspect', of });
  expect(inspect).toMatchObject({
    id: sunny,
    target: '=Sunny, {{ now }}',
    metadata: { model: 'gpt-5.5', tags: ['good'] },
  });
  expect(inspect.input.slice(2)).toEqual([
    {
      ...{ role: 'assistant', content: 'Let me look.' },
      tool_calls: [{ id: 'c1', type: 'function', function: 'look', arguments: { n: 1 } }],
    },
    { role: 'tool', content: 'Sun', tool_call_id: 'c1', function: 'look' },
  ]);

  const [whole] = await lines(forest, { format: 'jsonl', of });
  expect(whole).toMatchObject({
    ...{ conversation: sunny, title: 'Weather', tags: ['good'], rating: 4, models: ['gpt-5.5'], cost: 0.25 },
    ...{
      inputTokens: 15,
      outputTokens: 7,
      endedAt: '1970-01-01T00:00:02.000Z',
      tools: [{}],
      messages: [{}, {}, {}, {}, {}],
    },
  });
});

test('promptfoo gets recorded texts as data: no template is rendered, and no file is read', async () => {
  const { forest } = await example();
  await forest.append('root', [user('Which?'), assistant('file:///etc/passwd')], { at: 1 });
  await forest.append('root', [user('As JSON'), assistant('{"a":{"b":1}}')], { at: 2 });
  const tests = await lines(forest, { format: 'promptfoo' });
  const [weather] = tests.filter(({ description }) => description === 'Weather');
  expect(weather.vars.messages).not.toMatch(/\{[{%#]|#\}/);
  expect(JSON.parse(weather.vars.messages)[1].content).toContain('{{ env.KEY }} is a template, {# as is #} this');
  expect(weather.assert).toEqual([{ type: 'rouge-n', threshold: 0.5, value: '=Sunny, {{ "{" }}{ now }}' }]);
  expect(weather.options.tools).toMatchObject([{ type: 'function', function: { name: 'look' } }]);
  const expected = tests.flatMap(({ assert }) => assert.map(({ value }: { value?: string }) => value));
  expect(expected).toContain('{{ "f" }}ile:///etc/passwd');
  expect(tests.flatMap(({ assert }) => assert)).toContainEqual({ type: 'is-json' });
});

test('a table is quoted, and no cell begins like a formula', async () => {
  const { forest } = await example();
  const text = await exported(forest, { format: 'csv' });
  const [head, ...rows] = text.trim().split('\r\n');
  expect(head?.split(',')).toContain('question');
  expect(rows).toHaveLength(3);
  expect(text).toContain(`"'=Sunny, {{ now }}"`);
  expect(text).toContain(',15,7,0.25\r\n');
});

test('filters, deduplication and the removal of keys; segments refuse all of them', async () => {
  const { forest, sunny, rain } = await example();
  const found = async (options: Partial<ExportOptions>) =>
    (await lines(forest, { format: 'jsonl', ...options })).map(({ conversation }) => conversation);
  const all = await found({});
  expect(all).toHaveLength(3);
  for (const where of [
    ...[{ tag: 'good' }, { model: 'gpt-5.5' }, { until: 3000 }, { minRating: 4 }, { text: 'SUNNY' }],
    ...[{ maxCost: 1, minCost: 0.1 }, { isThread: true }, { tag: 'good', since: 2000 }],
  ])
    expect([where, await found({ where })]).toEqual([where, [sunny]]);
  for (const where of [{ branch: 'main' }, { minRating: 5 }, { since: 2001, tag: 'good' }])
    expect(await found({ where })).toEqual([]);
  expect(await found({ where: { minCost: 2 } })).toEqual([rain]);
  expect((await found({ deduplicate: true })).toSorted()).toEqual([sunny, rain].toSorted());
  const clean = await exported(forest, { format: 'sharegpt', removeKeys: true });
  expect(clean).toContain('[a key of Anthropic was left out]');
  expect(clean).not.toContain(KEY);
  for (const more of [{ where: { tag: 'good' } }, { deduplicate: true }, { removeKeys: true }])
    await expect(exported(forest, { format: 'segments', ...more })).rejects.toMatchObject({ code: 'would_lose' });
});

test('the branch of the repository that a coding agent worked on selects its conversations', async () => {
  const forest = createForest(memoryStore());
  const heads: string[] = [];
  for (const [agent, branch] of [
    ['codex', 'main'],
    ['claude-code', 'fix/12'],
    ['codex', 'fix/12'],
  ]) {
    const { id, head } = await forest.threads.begin([user(`By ${agent} on ${branch}`), assistant('Done.')]);
    const ref = (name: string, value: unknown) => ({ k: 'ref' as const, on: 'thread' as const, key: id, name, value });
    const refs = [ref('agent', agent), ref('branch', branch)];
    await forest.store.append(refs.map((one) => ({ ...one, clock: forest.clock.tick() })));
    heads.push(head);
  }
  const found = async (branch: string) =>
    (await lines(forest, { format: 'jsonl', where: { branch } })).map(({ conversation }) => conversation);
  expect(await found('main')).toEqual(heads.slice(0, 1));
  expect((await found('fix/12')).toSorted()).toEqual(heads.slice(1).toSorted());
  expect(await found('fix')).toEqual([]);
});

test('a split is complete, the same for its seed, and does not part conversations that begin alike', async () => {
  const forest = createForest(memoryStore());
  for (let index = 0; index < 60; index++)
    await forest.append('root', [user(`Question ${index % 30}`), assistant(`Answer ${index}`)], { at: index });
  const part = async (name: 'train' | 'test', seed: string) =>
    (await lines(forest, { format: 'messages', split: { part: name, share: 0.7, seed } })).map(
      ([{ content }]) => content as string,
    );
  const [train, tested, other] = [await part('train', 'a'), await part('test', 'a'), await part('train', 'b')];
  expect(train.length + tested.length).toBe(60);
  expect(train.length).toBeGreaterThan(30);
  expect(tested.length).toBeGreaterThan(5);
  expect(train.filter((question) => tested.includes(question))).toEqual([]);
  expect(await part('train', 'a')).toEqual(train);
  expect(other).not.toEqual(train);
});
