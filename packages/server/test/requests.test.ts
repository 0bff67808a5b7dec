import { says } from '@skein/emulator';
import { describe, expect, test } from 'vitest';
import { question, startWorld, type World } from './kit.ts';

const system = (text: string) => ({ role: 'system', content: [{ type: 'text', text }] });

async function generate({ api }: World, wish: object): Promise<string> {
  const { body } = await api('POST', '/generations', wish);
  const state = async () => (await api('GET', `/generations/${body.id}`)).body;
  await expect.poll(async () => (await state()).status).toBe('done');
  return (await state()).branches[0].head;
}

const MODELS = [
  ['anthropic-messages', 'anthropic/claude-opus-5-5', 'x-api-key', '$ANTHROPIC_API_KEY'],
  ['openai-chat', 'openai-chat/gpt-5.5', 'authorization', 'Bearer $OPENAI_API_KEY'],
  ['google-generatecontent', 'google/gemini-3.5-pro', 'x-goog-api-key', '$GEMINI_API_KEY'],
] as const;

describe.each(MODELS)('%s', (dialect, model, header, key) => {
  test('a preview is byte for byte what is sent next, and sends and stores nothing itself', async () => {
    const world = await startWorld();
    const { api, emulator, forest } = world;
    const { body: first } = await api('POST', '/nodes/root/messages', {
      messages: [system('Be kind.'), question('Hello 👋')],
    });
    emulator.script(dialect, [says('Hi.'), says('Well.')]);
    const answer = await generate(world, { node: first.id, model });
    const { body: second } = await api('POST', `/nodes/${answer}/messages`, { messages: [question('How are you?')] });
    const before = await forest.changes();
    const wish = { model, params: { maxTokens: 300 } };
    const { status, body } = await api('POST', `/nodes/${second.id}/preview`, wish);
    expect(status).toBe(200);
    expect(emulator.log).toHaveLength(1);
    expect((await forest.changes(before.next)).items).toEqual([]);
    expect(body).toMatchObject({ dialect, model: model.split('/')[1], losses: [], headers: { [header]: key } });
    expect(JSON.stringify(body)).not.toMatch(/sk-emulator/);
    await generate(world, { node: second.id, ...wish });
    expect(body.body).toBe(emulator.log[1]!.body.toString());
    expect(new URL(body.url).pathname).toBe(new URL(emulator.log[1]!.path, 'http://x').pathname);
    expect(body.parts).toBeUndefined();
  });
});

test('another system text is where the request parts from the one before, before and after it is sent', async () => {
  const world = await startWorld();
  const { api, emulator } = world;
  const model = 'anthropic/claude-opus-5-5';
  const { body: asked } = await api('POST', '/nodes/root/messages', { messages: [system('Be kind.'), question('Hi')] });
  emulator.script('anthropic-messages', [says('Hello.'), says('Yes.')]);
  const answer = await generate(world, { node: asked.id, model });
  const { body: next } = await api('POST', `/nodes/${answer}/messages`, { messages: [question('Really?')] });
  const { body: other } = await api('POST', `/nodes/${asked.parent}/edit`, { text: 'Be brief.', carry: next.id });
  const { body: preview } = await api('POST', `/nodes/${other.id}/preview`, { model });
  expect(preview.parts).toMatchObject({ part: 'system', index: 0 });
  expect(preview.parts.before).toContain('Be kind.');
  expect(preview.parts.after).toContain('Be brief.');
  const head = await generate(world, { node: other.id, model });
  const { body: sent } = await api('GET', `/nodes/${head}/request`);
  expect(sent).toMatchObject({ provider: 'anthropic', body: preview.body, parts: preview.parts, losses: [] });
  expect((await api('GET', `/nodes/${answer}/request`)).body.parts).toBeUndefined();
});

test('a preview for another provider names what it leaves out, with the node', async () => {
  const world = await startWorld();
  const { api, emulator } = world;
  const { body: asked } = await api('POST', '/nodes/root/messages', { messages: [question('Hi')] });
  emulator.script('anthropic-messages', [
    {
      blocks: [
        { type: 'thinking', text: 'A greeting.' },
        { type: 'text', text: 'Hello.' },
      ],
    },
  ]);
  const answer = await generate(world, { node: asked.id, model: 'anthropic/claude-opus-5-5' });
  const { body: next } = await api('POST', `/nodes/${answer}/messages`, { messages: [question('Really?')] });
  const { body } = await api('POST', `/nodes/${next.id}/preview`, { model: 'openai-chat/gpt-5.5' });
  expect(body.losses).toMatchObject([{ kind: 'dropped', message: 1, node: answer, reason: 'foreign-reasoning' }]);
  expect(body.losses[0].text).toContain('reasoning');
});

test('a model without a key can be looked at, calls without results cannot', async () => {
  const { api } = await startWorld();
  const { body: asked } = await api('POST', '/nodes/root/messages', { messages: [question('Hi')] });
  const { body } = await api('POST', `/nodes/${asked.id}/preview`, { model: 'groq/llama-4' });
  expect(body.headers.authorization).toBe('Bearer $GROQ_API_KEY');
  const call = { type: 'tool-use', id: 'c1', name: 'get_weather', parameters: {} };
  const { body: calling } = await api('POST', `/nodes/${asked.id}/messages`, {
    messages: [{ role: 'assistant', content: [call] }],
  });
  const refused = await api('POST', `/nodes/${calling.id}/preview`, { model: 'groq/llama-4' });
  expect(refused).toMatchObject({ status: 409, body: { code: 'calls_open' } });
});
