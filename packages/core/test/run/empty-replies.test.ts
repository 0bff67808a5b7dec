import { assistant, Chat, Conversation, summarise, user } from '@skein/core';
import { type Emulator, says } from '@skein/emulator';
import { describe, expect, test } from 'vitest';
import { APIS, anthropic, ask, chat, expectAccepted, google, modelOf, rolesOf, start, WAYS, weather } from './kit.ts';

const silent = { blocks: [], stop: 'refusal', usage: { input: 5000, output: 7 } } as const;
const sealed = { role: 'assistant', content: null, refusal: null, x_new: 'sealed' };
const refused = {
  ...{ id: 'msg_1', type: 'message', role: 'assistant', model: 'm', content: [], stop_reason: 'refusal' },
  ...{ stop_details: { category: 'cyber' }, usage: { input_tokens: 5, output_tokens: 0 } },
};
const blank = { ...silent, blocks: [{ type: 'text', text: ' \n' }] } as const;

describe.each(WAYS)('$protocol, stream: $stream', ({ api, protocol, stream }) => {
  test.each([
    ['no blocks', silent],
    ['white space', blank],
  ])('a reply of %s is a message, and the next question is accepted', async (_, reply) => {
    const emulator = await start();
    emulator.script(protocol, [reply, says('Better.')]);
    const first = await ask(emulator, api, { stream, messages: [user('Q')] }).result;
    expect(rolesOf(first.messages)).toEqual(['assistant']);
    expect(first.messages[0]).toBe(first.steps[0]!.message);
    expect(first.messages[0]!.origin.cut).toBeUndefined();
    expect(first).toMatchObject({ text: '', usage: { input: 5000 }, stop: first.steps[0]!.stop });

    const messages = [user('Q'), ...first.messages, user('And now?')];
    const next = await ask(emulator, api, { stream, messages, previous: first.manifest }).result;
    expect(next.text).toBe('Better.');
    expectAccepted(emulator);
  });

  test.each(APIS)('an empty reply is no obstacle at $protocol', async (other) => {
    const emulator = await start();
    for (const reply of [silent, blank]) {
      emulator.script(protocol, [reply]);
      const { messages } = await ask(emulator, api, { stream, messages: [user('Q')] }).result;
      emulator.script(other.protocol, [says('Better.')]);
      const history = [user('Q'), ...messages, user('And now?')];
      expect((await ask(emulator, other, { stream, messages: history }).result).text).toBe('Better.');
    }
    expectAccepted(emulator);
  });

  test('a chat keeps in its state that nothing was said', async () => {
    const emulator = await start();
    emulator.script(protocol, [silent, says('Better.')]);
    const talk = new Chat({ model: modelOf(api), env: emulator.env(), random: () => 0, stream });
    const first = await talk.chatWithState(null, [user('Q')]);
    expect(rolesOf(first.messages)).toContain('assistant');
    expect(first.state).toContain(JSON.stringify(first.messages.at(-1)!.raw).slice(1, -1));
    expect((await talk.chatWithState(first.state, [user('And now?')])).text).toBe('Better.');
    expectAccepted(emulator);
  });

  test('a conversation is answered, also by an empty reply', async () => {
    const emulator = await start();
    emulator.script(protocol, [silent, says('Better.')]);
    const conversation = conversationWith(emulator, modelOf(api), stream);
    expect(await read(conversation)).toEqual(['']);
    expect(await read(conversation)).toEqual([]);
    conversation.messages.append(user('And now?'));
    expect(await read(conversation)).toEqual(['Better.']);
    expect(rolesOf([...conversation.messages])).toEqual(['user', 'assistant', 'user', 'assistant']);
    expectAccepted(emulator);
  });

  test('what was said beside a call is the text, when nothing followed the result', async () => {
    const emulator = await start();
    const call = { type: 'tool-use', name: 'get_weather', input: { city: 'Oslo' } } as const;
    emulator.script(protocol, [{ blocks: [{ type: 'text', text: 'I note it.' }, call] }, { blocks: [] }, says('Yes.')]);
    const { messages, text } = await ask(emulator, api, { stream, tools: [weather], messages: [user('Q')] }).result;
    expect(rolesOf(messages).filter((role) => role === 'assistant')).toHaveLength(2);
    expect(text).toBe('I note it.');
    const history = [user('Q'), ...messages, user('Sure?')];
    expect((await ask(emulator, api, { stream, tools: [weather], messages: history }).result).text).toBe('Yes.');
    expectAccepted(emulator);
  });

  test('a history with an empty reply in it is summarised', async () => {
    const emulator = await start();
    emulator.script(protocol, [silent, says('In short.'), says('Better.')]);
    const { messages } = await ask(emulator, api, { stream, messages: [user('Q')] }).result;
    const history = [user('x'.repeat(800)), ...messages, user('More?'), assistant('No.'), user('And now?')];
    const compaction = summarise({ model: modelOf(api), env: emulator.env(), above: 100, keep: 1 });
    const next = await ask(emulator, api, { stream, messages: history, compaction }).result;
    expect(next).toMatchObject({ text: 'Better.', checkpoints: [{}] });
    expectAccepted(emulator);
  });
});

test.each([
  ['anthropic', 'stop_details', anthropic, refused],
  ['google', 'promptFeedback', google, { promptFeedback: { blockReason: 'OTHER' }, modelVersion: 'm' }],
  ['google', 'safetyRatings', google, { candidates: [{ finishReason: 'SAFETY', safetyRatings: [{ category: 'X' }] }] }],
  ['chat', 'content_filter', chat, { id: 'c', choices: [{ finish_reason: 'content_filter', message: sealed }] }],
])('%s: what is said about a blocked reply is kept (%s)', async (_, told, api, body) => {
  const emulator = await start();
  const headers = { 'content-type': 'application/json' };
  emulator.script(api.protocol, [{ raw: { status: 200, headers, body: JSON.stringify(body) } }, says('Better.')]);
  const { messages, steps } = await ask(emulator, api, { stream: false, messages: [user('Q')] }).result;
  expect(steps[0]!.envelope).toContain(told);
  if (api === chat) expect(messages[0]!.raw).toBe(JSON.stringify(sealed));
  const next = await ask(emulator, api, { messages: [user('Q'), ...messages, user('And now?')] }).result;
  expect(next.text).toBe('Better.');
  expect(next.losses).toMatchObject([{ kind: 'dropped', reason: 'empty', message: 1 }]);
  expectAccepted(emulator);
});

function conversationWith(emulator: Emulator, model: string, stream: boolean): Conversation {
  const config = { model, env: emulator.env(), random: () => 0, stream };
  return new Conversation({ messages: [user('Q')], config });
}

async function read(conversation: Conversation): Promise<string[]> {
  const texts: string[] = [];
  for await (const { text } of conversation) texts.push(text);
  return texts;
}
