import { loadConfig } from '@skein/agents';
import { says } from '@skein/emulator';
import { describe, expect, test } from 'vitest';
import { question, startWorld } from './kit.ts';

async function configWith(redaction: { readonly patterns: readonly string[] }) {
  const { config } = await loadConfig({ cwd: '/', env: {}, home: '/nonexistent' });
  return { ...config, redaction: { ...config.redaction, ...redaction } };
}

describe('models', () => {
  test('lists what can be asked, the configured model first, and nothing of providers without a key', async () => {
    const { api } = await startWorld({ model: 'mistral/own-model' });
    const { body } = await api('GET', '/models');
    expect(body.items[0]).toEqual({ id: 'mistral/own-model', provider: 'mistral', model: 'own-model', hasKey: false });
    const known = body.items.find(({ id }: { id: string }) => id === 'anthropic/claude-sonnet-4-5');
    expect(known).toMatchObject({ provider: 'anthropic', model: 'claude-sonnet-4-5', hasKey: true });
    expect(known.contextTokens).toBeGreaterThan(100_000);
    const providers = new Set(body.items.map(({ provider }: { provider: string }) => provider));
    expect(providers).toContain('google');
    expect(providers).not.toContain('groq');
    const { body: some } = await api('GET', '/models?provider=openai');
    expect(new Set(some.items.map(({ provider }: { provider: string }) => provider))).toEqual(new Set(['openai']));
    expect((await api('GET', '/settings')).body.model).toBe('mistral/own-model');
  });
});

describe('at a glance', () => {
  const answered = async () => {
    const world = await startWorld({ config: await configWith({ patterns: ['sk-[a-z]+'] }) });
    const { api, emulator } = world;
    const text = `Hello, my key is sk-abc. ${'word '.repeat(60)}`;
    const { body: thread } = await api('POST', '/threads', { messages: [question(text)], title: 'First' });
    emulator.script('anthropic-messages', [says('Fine.')]);
    const wish = { node: thread.head, model: 'anthropic/claude-opus-5-5', thread: thread.id };
    const { body } = await api('POST', '/generations', wish);
    const state = async () => (await api('GET', `/generations/${body.id}`)).body;
    await expect.poll(async () => (await state()).status).toBe('done');
    const head = (await state()).branches[0].head as string;
    await expect.poll(async () => (await api('GET', `/threads/${thread.id}`)).body.head).toBe(head);
    return { ...world, thread, head };
  };

  test('a summary says how long, how much, who, and how it begins and ends, with secrets hidden', async () => {
    const { api, thread } = await answered();
    const { body } = await api('GET', `/summaries?ids=${thread.id}`);
    const [summary] = body.items;
    expect(summary).toMatchObject({ id: thread.id, messages: 2, replies: 1, withoutPrice: 1, last: 'Fine.' });
    expect(summary.models).toEqual(['claude-opus-5-5']);
    expect(summary.usage.output).toBeGreaterThan(0);
    expect(summary.preview).toHaveLength(200);
    expect(summary.preview).toMatch(/^Hello, my key is \[redacted\]\. word .*…$/);
  });

  test('summaries of many conversations are one answer, which leaves out what is not known', async () => {
    const { api } = await startWorld();
    const begin = async (text: string) => (await api('POST', '/threads', { messages: [question(text)] })).body.id;
    const [first, second] = [await begin('One'), await begin('Two')];
    const { body } = await api('GET', `/summaries?ids=${second},none,${first}`);
    expect(body.items).toMatchObject([
      { id: second, preview: 'Two' },
      { id: first, preview: 'One' },
    ]);
    const many = Array.from({ length: 51 }, () => first).join(',');
    expect((await api('GET', `/summaries?ids=${many}`)).body).toMatchObject({ code: 'bad_request' });
    expect((await api('GET', '/summaries?ids=a%2Fb')).body).toMatchObject({ code: 'bad_request' });
  });

  test('a summary begins with the words of a person, not with what a program put in front', async () => {
    const { api } = await startWorld();
    const reminder = `<system-reminder>\n${'As you answer, use this. '.repeat(20)}\n</system-reminder>\n`;
    const { body: thread } = await api('POST', '/threads', { messages: [question(`${reminder}Mend the parser`)] });
    expect((await api('GET', `/summaries?ids=${thread.id}`)).body.items[0].preview).toBe('Mend the parser');
  });

  test('previews leave out what is not known, and say what a message without text does', async () => {
    const { api, thread, head } = await answered();
    const call = { type: 'tool-use', id: 'c1', name: 'get_weather', parameters: {} };
    const { body: calling } = await api('POST', `/nodes/${head}/messages`, {
      messages: [question('And the weather?'), { role: 'assistant', content: [call] }],
    });
    const ids = [thread.head, 'f'.repeat(40), head, calling.id].join(',');
    const { body } = await api('GET', `/previews?ids=${ids}`);
    expect(body.items).toMatchObject([
      { id: thread.head, role: 'user' },
      { id: head, role: 'assistant', text: 'Fine.', provider: 'anthropic', model: 'claude-opus-5-5' },
      { id: calling.id, role: 'assistant', text: 'calls get_weather' },
    ]);
    expect(body.items[0].text).toHaveLength(160);
    const many = Array.from({ length: 201 }, () => head).join(',');
    expect((await api('GET', `/previews?ids=${many}`)).body).toMatchObject({ code: 'bad_request' });
  });

  test('a node tells the threads that lead through it', async () => {
    const { api, thread, head } = await answered();
    const { body: fork } = await api('POST', `/threads/${thread.id}/fork`, { at: thread.head });
    const of = async (node: string) => (await api('GET', `/nodes/${node}/threads`)).body.items;
    expect((await of(thread.head)).map(({ id }: { id: string }) => id).toSorted()).toEqual(
      [thread.id, fork.id].toSorted(),
    );
    expect(await of(head)).toMatchObject(expect.arrayContaining([expect.objectContaining({ id: thread.id })]));
  });
});

test('another system text starts a branch that carries the turns, with who wrote them', async () => {
  const { api, emulator } = await startWorld();
  const system = { role: 'system', content: [{ type: 'text', text: 'Be kind.' }] };
  const { body: asked } = await api('POST', '/nodes/root/messages', { messages: [system, question('Hello')] });
  emulator.script('anthropic-messages', [says('Hi.')]);
  const { body } = await api('POST', '/generations', { node: asked.id, model: 'anthropic/claude-opus-5-5' });
  const state = async () => (await api('GET', `/generations/${body.id}`)).body;
  await expect.poll(async () => (await state()).status).toBe('done');
  const head = (await state()).branches[0].head as string;

  const edited = await api('POST', `/nodes/${asked.parent}/edit`, { text: 'Be brief.', carry: head });
  expect(edited.status).toBe(201);
  expect(edited.body).toMatchObject({ depth: 3, content: [{ text: 'Hi.' }] });
  expect(edited.body.takes).toMatchObject([{ via: 'edit', from: head, model: 'claude-opus-5-5', author: 'model' }]);
  const path = (await api('GET', `/nodes/${edited.body.id}/path`)).body.items;
  expect(path.map(({ content }: { content: { text: string }[] }) => content[0]!.text)).toEqual([
    'Be brief.',
    'Hello',
    'Hi.',
  ]);
  const raw = async (id: string) => (await api('GET', `/nodes/${id}?raw`)).body;
  expect(await raw(edited.body.id)).toBe(await raw(head));
  expect((await api('GET', '/usage?below=root')).body.replies).toBe(1);
  expect((await api('GET', `/nodes/${head}`)).body.removed).toBe(false);

  const same = await api('POST', `/nodes/${asked.parent}/edit`, { text: 'Be kind.', carry: head });
  expect(same.body.id).toBe(head);
  const wrong = await api('POST', `/nodes/${asked.parent}/edit`, { text: 'x', carry: edited.body.id });
  expect(wrong).toMatchObject({ status: 422, body: { code: 'not_above' } });
});
