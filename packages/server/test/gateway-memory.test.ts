import { loadConfig } from '@skein/agents';
import type { Emulator } from '@skein/emulator';
import { createForest, memoryStore, readRecorded } from '@skein/forest';
import { createServer } from '@skein/server';
import { expect, onTestFinished, test, vi } from 'vitest';
import { callsTwice, connect, openaiClient, speaks } from './gateway-kit.ts';
import { startWorld } from './kit.ts';
import { recorded } from './proxy-kit.ts';

const CLAUDE = 'anthropic/claude-sonnet-4-5';
const GPT = 'openai/gpt-5.2';

const lastBody = ({ log }: Emulator) => log.at(-1)!.body.toString();
const refusals = ({ log }: Emulator) => log.flatMap(({ verdict }) => verdict.refusal?.message ?? []);
const signatures = (text: string) => [...text.matchAll(/"signature":"([^"]{20,})"/g)].map(([, one]) => one!);

/** Another server on the same forest, or on another one. */
async function startAnother(emulator: Emulator, forest = createForest(memoryStore())) {
  const { config } = await loadConfig({ cwd: '/', env: {}, home: '/nonexistent' });
  const server = await createServer({ forest, config, env: emulator.env() }).listen({ port: 0 });
  onTestFinished(() => server.close());
  return server;
}

test('an exchange has both sides, its place in one thread, and its tokens once; a replay answers by the client side', async () => {
  const { server, emulator, forest } = await startWorld();
  emulator.script('anthropic-messages', [
    { blocks: callsTwice('Weather.') },
    { blocks: speaks('Warm.', 'It is warm.') },
    { blocks: speaks('Bye.', 'Goodbye.') },
  ]);
  const client = connect('chat', server.url, true);
  await client.say('How warm is it?', CLAUDE);
  await client.answerCalls('22', CLAUDE);
  await client.say('Thanks!', CLAUDE);
  const exchanges = await recorded(forest, 3);
  expect(new Set(exchanges.map(({ landing }) => landing?.thread)).size).toBe(1);
  expect(exchanges.map(({ landing }) => landing?.way)).toEqual(['starts', 'continues', 'continues']);
  expect(exchanges[0]!.upstream).toMatchObject({ provider: 'anthropic', dialect: 'anthropic-messages', status: 200 });
  const { request, response, upstream } = (await readRecorded(forest, exchanges[0]!.id))!;
  expect(Buffer.from(request!).toString()).toContain(`"model":"${CLAUDE}"`);
  expect(Buffer.from(response).toString()).toContain('chat.completion.chunk');
  expect(upstream!.request).toBe(emulator.log[0]!.body.toString());
  expect(upstream!.response).toBe(emulator.log[0]!.served!.body.toString());
  const path = await forest.path(exchanges.at(-1)!.landing!.node!);
  expect(path.map(({ role, message }) => `${role} ${message.origin.dialect}`)).toEqual([
    'user openai-chat',
    'assistant anthropic-messages',
    'tool openai-chat',
    'tool openai-chat',
    'assistant anthropic-messages',
    'user openai-chat',
    'assistant anthropic-messages',
  ]);
  const count = emulator.log.length;
  const again = connect('chat', server.url, true, { 'x-skein-mode': 'replay' });
  await again.say('How warm is it?', CLAUDE);
  await again.answerCalls('22', CLAUDE);
  expect(await again.say('Thanks!', CLAUDE)).toBe('Goodbye.');
  expect(emulator.log.length).toBe(count);
});

test.each([true, false])('an answer ends when its reply is stored (stream: %s)', async (isStream) => {
  const { emulator } = await startWorld();
  emulator.script('anthropic-messages', { blocks: speaks('Hm.', 'Hello.') });
  const store = memoryStore();
  const steps: string[] = [];
  const append: typeof store.append = async (records) => {
    const hasReply = records.some((record) => record.k === 'ref' && record.name === 'reply');
    if (hasReply) await new Promise((resolve) => setTimeout(resolve, 100));
    if (hasReply) steps.push('stored');
    await store.append(records);
  };
  const server = await startAnother(emulator, createForest({ ...store, append }));
  const client = connect('chat', server.url, isStream);
  await client.say('Hi', CLAUDE);
  steps.push('answered');
  await vi.waitFor(() => expect(steps).toHaveLength(2));
  expect(steps).toEqual(['stored', 'answered']);
});

test('reasoning comes back on a second server and after a model in between; none reaches another project', async () => {
  const { server, emulator, forest } = await startWorld();
  emulator.script('anthropic-messages', [
    { blocks: speaks('Secret thought.', 'Hello.') },
    { blocks: speaks('Again.', 'Here again.') },
    { blocks: speaks('Elsewhere.', 'Elsewhere.') },
  ]);
  emulator.script('openai-responses', { blocks: speaks('GPT thinks.', 'From GPT.') });
  const client = connect('responses', server.url, false);
  await client.say('Hi', CLAUDE);
  const [signature] = signatures(emulator.log[0]!.served!.body.toString());
  await client.say('And you?', GPT);
  expect(lastBody(emulator)).not.toContain(signature);
  const second = connect('responses', (await startAnother(emulator, forest)).url, true);
  second.history.push(...client.history);
  expect(await second.say('Back?', CLAUDE)).toBe('Here again.');
  expect(lastBody(emulator)).toContain(signature);
  expect(refusals(emulator)).toEqual([]);

  const stranger = connect('responses', (await startAnother(emulator)).url, false);
  stranger.history.push(...client.history);
  await stranger.say('Back?', CLAUDE);
  expect(lastBody(emulator)).not.toContain(signature);
  expect(refusals(emulator)).toEqual([]);
});

test('an altered reference is dropped and reported, an edited message stays edited, and strict refuses', async () => {
  const { server, emulator } = await startWorld();
  const replies = Array.from({ length: 6 }, (_, at) => ({ blocks: speaks(`Thought ${at}.`, `Answer ${at}.`) }));
  emulator.script('openai-responses', replies);
  const client = connect('anthropic', server.url, false);
  await client.say('One', GPT);
  const original = structuredClone(client.history);
  const ciphertext = /"encrypted_content":"([^"]+)"/.exec(emulator.log[0]!.served!.body.toString())![1]!;

  const [thinking] = client.history[1].content;
  expect(thinking.signature.length).toBeLessThanOrEqual(200);
  thinking.signature = thinking.signature.replace(/.(?==*$)/, (last: string) => (last === 'A' ? 'B' : 'A'));
  const answers: Response[] = [];
  const ask = async (history: unknown[], headers: Record<string, string> = {}) => {
    const response = await fetch(`${server.url}/gateway/anthropic/v1/messages`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({
        model: GPT,
        max_tokens: 1000,
        messages: [...history, { role: 'user', content: 'Two' }],
      }),
    });
    answers.push(response);
    return response;
  };
  // Its words still find it.
  await ask(client.history);
  const edited = structuredClone(client.history);
  edited[1].content[1].text = 'Something else.';
  const marked = await ask(edited);
  expect(lastBody(emulator)).toContain('Something else.');
  expect(lastBody(emulator)).not.toContain(ciphertext);
  expect(marked.headers.get('x-skein-losses')).toContain('foreign-reasoning');
  const mine = structuredClone(original);
  mine[1].content[1].text = 'Edited by me.';
  await ask(mine);
  expect(lastBody(emulator)).toContain('Edited by me.');
  expect(lastBody(emulator)).not.toContain(ciphertext);
  const strict = await ask(edited, { 'x-skein-strict': 'true' });
  expect(strict.status).toBe(400);
  expect(await strict.json()).toMatchObject({ type: 'error', error: { type: 'invalid_request_error' } });
  await ask(original);
  expect(lastBody(emulator)).toContain(ciphertext);
});

test('a call to which the client adds the defaults of its tool keeps its reasoning, a changed one does not', async () => {
  const { server, emulator } = await startWorld();
  const input = { path: 'note.txt', text: 'Hello' };
  emulator.script('openai-responses', [
    {
      blocks: [
        { type: 'thinking', text: 'Edit it.' },
        { type: 'tool-use', name: 'edit', input },
      ],
    },
    ...Array.from({ length: 2 }, () => ({ blocks: speaks('Done.', 'It is edited.') })),
  ]);
  const text = { type: 'string' };
  const properties = { path: text, text, everywhere: { type: 'boolean', default: false } };
  const tools = [{ name: 'edit', input_schema: { type: 'object', properties, required: ['path', 'text'] } }];
  const ask = async (messages: unknown[]) => {
    const response = await fetch(`${server.url}/gateway/anthropic/v1/messages`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model: GPT, max_tokens: 1000, tools, messages }),
    });
    const { content } = (await response.clone().json()) as { content: [object, { id: string }] };
    return { response, content };
  };
  const question = { role: 'user', content: 'Edit the note.' };
  const { content } = await ask([question]);
  const ciphertext = /"encrypted_content":"([^"]+)"/.exec(emulator.log[0]!.served!.body.toString())![1]!;
  const [thinking, call] = content;
  const goOn = (changed: object) =>
    ask([
      question,
      { role: 'assistant', content: [thinking, { ...call, input: changed }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: call.id, content: 'Edited.' }] },
    ]);
  const { response } = await goOn({ everywhere: false, ...input });
  expect(lastBody(emulator)).toContain(ciphertext);
  expect(response.headers.get('x-skein-losses') ?? '').not.toContain('foreign-reasoning');
  await goOn({ everywhere: true, ...input });
  expect(lastBody(emulator)).not.toContain(ciphertext);
  expect(lastBody(emulator)).toContain('everywhere\\":true');
  expect(refusals(emulator)).toEqual([]);
});

test('a result that Gemini CLI sends twice after a resume goes out once, and replies behind it keep their reasoning', async () => {
  const { server, emulator } = await startWorld();
  const call = { type: 'tool-use', name: 'read_file', input: { path: 'note' } } as const;
  emulator.script('anthropic-messages', [
    { blocks: [{ type: 'thinking', text: 'Read it.' }, call] },
    ...['It says hello.', 'Welcome.'].map((text) => ({ blocks: speaks('Say it.', text) })),
  ]);
  type Part = { thought?: boolean; text?: string; functionCall?: { id: string; name: string } };
  const parameters = { type: 'OBJECT', properties: { path: { type: 'STRING' } } };
  const tools = [{ functionDeclarations: [{ name: 'read_file', description: 'Reads.', parameters }] }];
  const ask = async (contents: unknown[]) => {
    const response = await fetch(`${server.url}/gateway/google/v1beta/models/${CLAUDE}:generateContent`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ contents, tools }),
    });
    const body = (await response.json()) as { candidates: [{ content: { parts: Part[] } }] };
    // Thoughts and signatures are not kept by the client.
    return body.candidates[0].content.parts.filter(({ thought }) => !thought);
  };
  const question = { role: 'user', parts: [{ text: 'What is in the note?' }] };
  const { functionCall } = (await ask([question]))[0]!;
  const { id, name } = functionCall!;
  const result = { functionResponse: { id, name, response: { output: 'hello' } } };
  const reply = { role: 'model', parts: [{ functionCall }] };
  const answer = await ask([question, reply, { role: 'user', parts: [result] }]);
  const thanks = { role: 'user', parts: [{ text: 'Thanks' }] };
  const twice = { role: 'user', parts: [result, result] };
  await ask([question, reply, twice, { role: 'model', parts: [{ text: answer[0]!.text }] }, thanks]);
  expect(lastBody(emulator)).not.toContain('Result of the earlier tool call');
  const issued = emulator.log.slice(0, 2).flatMap(({ served }) => signatures(served!.body.toString()));
  expect(issued).toHaveLength(2);
  expect(signatures(lastBody(emulator))).toEqual(issued);
  expect(refusals(emulator)).toEqual([]);
});

test('reasoning that is bound to its prefix is left out and reported where the client changed what stood before it', async () => {
  const { server, emulator, forest } = await startWorld();
  emulator.settings = { ...emulator.settings, enforcePrefix: true };
  const bound = 'anthropic/claude-opus-5-5';
  emulator.script('anthropic-messages', [
    { blocks: speaks('Thought.', 'An answer.') },
    { blocks: speaks('More.', 'Another.') },
    { blocks: speaks('Last.', 'The last.') },
  ]);
  const client = connect('responses', server.url, false);
  await client.say('First question', bound);
  await client.say('Second question', bound);
  const [signature] = signatures(emulator.log[0]!.served!.body.toString());
  expect(lastBody(emulator)).toContain(signature);
  client.history[0].content = 'A changed question';
  await client.say('Third question', bound);
  expect(lastBody(emulator)).not.toContain(signature);
  expect(refusals(emulator)).toEqual([]);
  const reasons = (await recorded(forest, 3)).map(({ upstream }) => upstream!.losses.map(({ reason }) => reason));
  expect(reasons.map((list) => list.includes('prefix-bound'))).toEqual([false, false, true]);
});

test('a client of the same protocol sends its own bytes with a named model, and a bare name passes untouched', async () => {
  const { server, emulator } = await startWorld();
  emulator.script('openai-chat', [{ blocks: speaks('Hm.', 'Own.') }, { blocks: speaks('Hm.', 'Bare.') }]);
  const send = (model: string) =>
    fetch(`${server.url}/gateway/openai/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: 'Bearer skein' },
      body: `{ "messages":[{"content":"Hi", "role":"user"}],  "model" : "${model}","user":"me" }`,
    });
  const named = await send('openai-chat/gpt-5.2');
  expect(lastBody(emulator)).toBe('{ "messages":[{"content":"Hi", "role":"user"}],  "model" : "gpt-5.2","user":"me" }');
  expect(await named.json()).toMatchObject({ model: 'openai-chat/gpt-5.2' });
  expect(named.headers.get('x-skein-losses')).toBeNull();
  const bare = await send('gpt-5.2');
  expect(lastBody(emulator)).toBe('{ "messages":[{"content":"Hi", "role":"user"}],  "model" : "gpt-5.2","user":"me" }');
  expect(await bare.json()).toMatchObject({ model: 'gpt-5.2' });
});

test.each(['chat', 'responses', 'anthropic', 'google'] as const)(
  'another target answers before the first byte, none after it, and a client of %s is told in its own grammar',
  async (name) => {
    const { config } = await loadConfig({ cwd: '/', env: {}, home: '/nonexistent' });
    const gateway = { ...config.gateway, fallback: [{ provider: 'openai', model: 'gpt-5.2' }] };
    const { server, emulator } = await startWorld({ config: { ...config, gateway } });
    emulator.script('anthropic-messages', { error: { status: 529 } });
    emulator.script('openai-responses', { blocks: speaks('Hm.', 'From the other.') });
    const fallbacks: (string | null)[] = [];
    const { fetch } = globalThis;
    vi.stubGlobal('fetch', async (...request: Parameters<typeof fetch>) => {
      const response = await fetch(...request);
      if (String(request[0]).includes('/gateway/')) fallbacks.push(response.headers.get('x-skein-fallback'));
      return response;
    });
    onTestFinished(() => void vi.unstubAllGlobals());
    const client = connect(name, server.url, true);
    expect(await client.say('Hi', CLAUDE)).toBe('From the other.');
    expect(fallbacks).toEqual([`${CLAUDE} overloaded`]);
    emulator.script('anthropic-messages', {
      blocks: speaks('Hm.', 'A long answer that is cut in the middle of its words.'),
      streamError: { afterEvents: 6, message: 'Overloaded' },
    });
    const count = emulator.log.length;
    await expect(client.say('Again', CLAUDE)).rejects.toThrow();
    expect(emulator.log.length).toBe(count + 1);
  },
);

test('an agent that looks whether there is a server finds one', async () => {
  const { server } = await startWorld({ token: 'a-long-token' });
  expect((await fetch(`${server.url}/gateway/anthropic`, { method: 'HEAD' })).status).toBe(200);
});

test('a client that leaves ends the upstream', async () => {
  const { server, emulator } = await startWorld();
  emulator.script('anthropic-messages', {
    blocks: [{ type: 'text', text: 'word '.repeat(200) }],
    break: { after: { events: 12 }, how: 'hang' },
  });
  const leaving = new AbortController();
  const stream = await openaiClient(server.url).chat.completions.create(
    { model: CLAUDE, messages: [{ role: 'user', content: 'Hi' }], stream: true },
    { signal: leaving.signal },
  );
  for await (const _ of stream) break;
  leaving.abort();
  // The emulator says so when the connection is closed.
  await expect.poll(() => emulator.log[0]?.served?.ended, { timeout: 20_000 }).toBe('hang');
});

test('a reply that was cut at a stop sequence comes back with its reasoning after a restart, and without what stood behind', async () => {
  const { server, emulator, forest } = await startWorld();
  emulator.script('openai-responses', [
    { blocks: speaks('Counting.', 'one END two') },
    { blocks: speaks('More.', 'three') },
    { blocks: speaks('More.', 'three') },
  ]);
  const messages = [{ role: 'user' as const, content: 'Count.' }];
  const ask = { model: GPT, stop: 'END' };
  const { choices } = await openaiClient(server.url).chat.completions.create({ ...ask, messages });
  expect(choices[0]!.message.content).toBe('one ');
  const ciphertext = /"encrypted_content":"([^"]+)"/.exec(emulator.log[0]!.served!.body.toString())![1]!;
  const another = await startAnother(emulator, forest);
  for (const { url } of [server, another]) {
    const history = [
      ...messages,
      { role: 'assistant' as const, content: 'one ' },
      { role: 'user' as const, content: 'On' },
    ];
    await openaiClient(url).chat.completions.create({ ...ask, messages: history });
    expect(lastBody(emulator)).toContain(ciphertext);
    expect(lastBody(emulator)).toContain('one ');
    expect(lastBody(emulator)).not.toContain('END');
  }
  expect(refusals(emulator)).toEqual([]);
});

test('a reply whose calls the client sends back apart, each with its own result, keeps its reasoning', async () => {
  const { server, emulator, forest } = await startWorld();
  emulator.script('anthropic-messages', [
    { blocks: callsTwice('Weather.') },
    { blocks: speaks('Warm.', 'It is warm.') },
    { blocks: speaks('Still.', 'Still warm.') },
    { blocks: speaks('Edited.', 'Edited.') },
  ]);
  const client = connect('chat', server.url, false);
  await client.say('How warm is it?', CLAUDE);
  const [signature] = signatures(emulator.log[0]!.served!.body.toString());
  const { tool_calls: calls } = client.history.pop();
  for (const call of calls)
    client.history.push(
      { role: 'assistant', content: null, tool_calls: [call] },
      { role: 'tool', tool_call_id: call.id, content: `22 in ${call.function.arguments}` },
    );
  await client.say('And?', CLAUDE);
  const contents = () =>
    JSON.parse(lastBody(emulator)).messages.flatMap(({ content }: { content: { type: string }[] }) => content);
  const types = ['text', 'thinking', 'tool_use', 'tool_use', 'tool_result', 'tool_result', 'text'];
  expect(contents().map(({ type }: { type: string }) => type)).toEqual(types);
  expect(lastBody(emulator)).toContain(signature);
  const second = connect('chat', (await startAnother(emulator, forest)).url, true);
  second.history.push(...client.history);
  await second.say('Still?', CLAUDE);
  expect(signatures(lastBody(emulator))).toHaveLength(2);
  expect(lastBody(emulator)).toContain(signature);
  // A call that the client changed is a change.
  second.history[3].tool_calls[0].function.arguments = '{"city":"Rome"}';
  await second.say('Still?', CLAUDE);
  expect(lastBody(emulator)).toContain('Rome');
  expect(lastBody(emulator)).not.toContain(signature);
  expect(refusals(emulator)).toEqual([]);
});
