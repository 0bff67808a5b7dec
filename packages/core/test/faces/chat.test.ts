import { Chat, ConversationStateError, type ObserverEvent, RunError, system, tool, user } from '@skein/core';
import { says } from '@skein/emulator';
import { describe, expect, test } from 'vitest';
import {
  APIS,
  anthropic,
  bodies,
  expectAccepted,
  modelOf,
  chat as openaiChat,
  responses,
  start,
  weather,
} from '../run/kit.ts';

async function chatWith(api = anthropic, more: Partial<ConstructorParameters<typeof Chat>[0]> = {}) {
  const emulator = await start();
  const options = { model: modelOf(api), env: emulator.env(), random: () => 0 };
  return { emulator, options, chat: new Chat({ ...options, ...more }) };
}

const at = (body: string, ...texts: string[]) => texts.map((text) => body.indexOf(text));
const isSorted = (places: number[]) => places.every((place, index) => place >= 0 && place >= (places[index - 1] ?? 0));

describe.each(APIS)('$protocol', (api) => {
  test('leading system is sent first and not stored; the rest is stored in its place', async () => {
    const { emulator, chat } = await chatWith(api);
    const first = await chat.chatWithState(null, [
      system('Preamble A'),
      user('First'),
      system('Task X is done'),
      user('Second'),
    ]);
    expect(first.text).toContain('Echo');
    expect(first.state).not.toContain('Preamble A');
    expect(first.state).toContain('Task X is done');
    expect(first.discarded).toBeUndefined();
    const next = await chat.chatWithState(first.state, [system('Preamble B'), user('Third')]);
    expect(next.state).not.toContain('Preamble');
    const [one, two] = bodies(emulator) as [string, string];
    expect(isSorted(at(one, 'Preamble A', 'First', 'Task X is done', 'Second'))).toBe(true);
    expect(two).not.toContain('Preamble A');
    expect(isSorted(at(two, 'Preamble B', 'First', 'Task X is done', 'Second', 'Third'))).toBe(true);
    expectAccepted(emulator);
  });

  test('a call of system messages alone is answered, and so is one behind it', async () => {
    const { emulator, chat } = await chatWith(api);
    const first = await chat.chatWithState(undefined, [system('Greet the user.')]);
    const second = await chat.chatWithState(first.state, [system('Be brief.')]);
    const third = await chat.chatWithState(second.state, [system('Be brief.'), user('Hello')]);
    expect(third.text).toContain('Hello');
    expect(third.state).not.toContain('Be brief.');
    expectAccepted(emulator);
  });

  test('a state that begins with an appended system message keeps it', async () => {
    const { emulator, chat } = await chatWith(api);
    const state = chat.appendToState(null, [system('The shop closes at six.')]);
    const first = await chat.chatWithState(state, [system('Be kind.'), user('When do you close?')]);
    const second = await chat.chatWithState(first.state, [system('Be kind.'), user('And open?')]);
    expect(second.state).toContain('The shop closes at six.');
    for (const body of bodies(emulator))
      expect(isSorted(at(body, 'Be kind.', 'The shop closes at six.', 'When'))).toBe(true);
    expectAccepted(emulator);
  });

  test('events and appended messages are sent with the next call, in order', async () => {
    const { emulator, chat } = await chatWith(api);
    const { state } = await chat.chatWithState('', [user('Hello')]);
    const next = chat.updateStateAfterEvent(state, 'User has checked in at Harrogate Theatre');
    expect(emulator.log).toHaveLength(1);
    await chat.chatWithState(chat.appendToState(next, [user('At the bar')]), [user('What is this place?')]);
    expect(isSorted(at(bodies(emulator)[1]!, 'Hello', 'Harrogate', 'At the bar', 'What is this place?'))).toBe(true);
    expectAccepted(emulator);
  });

  test('fields nobody knows survive, and are in the next request', async () => {
    const { emulator, chat } = await chatWith(api, { stream: false });
    const extra = { message: { confidence: 0.95 }, block: { x_new: { deep: [1, 'é'] } } };
    emulator.script(api.protocol, says('Here.', { extra }));
    const { state } = await chat.chatWithState(null, [user('Hello')]);
    await chat.chatWithState(state, [user('More')]);
    const sent = bodies(emulator)[1]!;
    expect(sent).toMatch(/"confidence": ?0\.95|"x_new": ?\{"deep": ?\[1, ?"é"\]\}/);
    // Google refuses what it does not know, even if it gave it; then it is left out and sent again.
    expect(emulator.log.at(-1)?.verdict.refusal).toBeUndefined();
  });

  test('streams the same result', async () => {
    const { emulator, chat } = await chatWith(api, { tools: [weather] });
    emulator.script(api.protocol, [
      { blocks: [{ type: 'tool-use', name: 'get_weather', input: { city: 'Oslo' } }] },
      says('Cold.'),
    ]);
    const running = chat.streamWithState(null, [system('Brief.'), user('Oslo?')]);
    const types: string[] = [];
    for await (const event of running) {
      types.push(event.type);
      if (event.type === 'finish') expect(event.result).toBe(await running.result);
    }
    const result = await running.result;
    expect(types.at(-1)).toBe('finish');
    expect(await running.text).toBe('Cold.');
    expect(result.messages).toHaveLength(3);
    expect(JSON.parse(result.state)).toMatchObject({ version: 2, processed_length: 4 });
    expect(await running.toResponse().text()).not.toMatch(/processed_length|Brief\./);
  });
});

test('chat() is one answer without state', async () => {
  const { chat } = await chatWith();
  const result = await chat.chat([system('Brief.'), user('Hello')]);
  expect(result.text).toBe('Echo: Hello');
  expect(result).not.toHaveProperty('state');
});

describe('a state that cannot be used', () => {
  const cases = async () => {
    const { emulator, options, chat } = await chatWith();
    const { state } = await chat.chatWithState(null, [user('Hello')]);
    const value = JSON.parse(state);
    const damaged = JSON.parse(state);
    damaged.list.messages[1].raw = '{"role":"assist';
    const number = JSON.parse(state);
    number.list.messages[0].raw = '42';
    const noText = JSON.parse(state);
    noText.list.messages[1] = 7;
    const v1 = '{"version":1,"provider":"openai","messages":[{"role":"user","content":"a"},42]}';
    return {
      emulator,
      options,
      states: [
        ['not json', 'invalid_conversation_state', undefined],
        ['[]', 'invalid_conversation_state', undefined],
        ['null', 'invalid_conversation_state', undefined],
        ['{}', 'invalid_conversation_state', undefined],
        ['{"version":1,"provider":"openai","messages":7}', 'invalid_conversation_state', undefined],
        ['{"version":1,"messages":[]}', 'invalid_conversation_state', undefined],
        [JSON.stringify({ ...value, list: 3 }), 'invalid_conversation_state', undefined],
        [JSON.stringify({ ...value, version: 3 }), 'unsupported_state_version', undefined],
        [JSON.stringify({ ...value, list: { ...value.list, version: 9 } }), 'unsupported_state_version', undefined],
        ['{"version":"1.0","messages":[]}', 'unsupported_state_version', undefined],
        [JSON.stringify({ ...value, provider: 'x', issuer: 'example.org' }), 'provider_mismatch', undefined],
        ['{"version":1,"provider":"openai","messages":[]}', 'provider_mismatch', undefined],
        ['{"version":1,"provider":"gone","messages":[]}', 'provider_mismatch', undefined],
        [v1, 'message_unmarshal_failed', 1],
        [JSON.stringify(damaged), 'message_unmarshal_failed', 1],
        [JSON.stringify(noText), 'message_unmarshal_failed', 1],
        [JSON.stringify(number), 'message_unmarshal_failed', 0],
      ] as const,
    };
  };

  test('starts anew, gives the old text back, and tells the observer', async () => {
    const { states, options, emulator } = await cases();
    for (const [state, reason, index] of states) {
      const seen: ObserverEvent[] = [];
      const chat = new Chat({ ...options, onMismatch: 'discard', observer: (event) => void seen.push(event) });
      const result = await chat.chatWithState(state, [user('Again')]);
      expect(result.discarded, state).toEqual({ reason, state, ...(index !== undefined && { index }) });
      expect(result.text).toBe('Echo: Again');
      expect(seen.filter((event) => event.type === 'notice' && event.code === 'state-discarded')).toHaveLength(1);
      expect(result.notices.map(({ code }) => code)).toContain('state-discarded');
      expect(bodies(emulator).at(-1)).not.toContain('Hello');
      const next = await chat.chatWithState(result.state, [user('More')]);
      expect(next.discarded).toBeUndefined();
    }
  });

  test('throws where that is asked for', async () => {
    const { states, options } = await cases();
    const chat = new Chat({ ...options, onMismatch: 'throw' });
    for (const [state, code, index] of states) {
      const error = await chat.chatWithState(state, [user('Again')]).catch((failure: unknown) => failure);
      expect(error, state).toBeInstanceOf(ConversationStateError);
      expect(error).toMatchObject({ code, index, state });
    }
  });

  test('is kept when something is appended to it, and told by the next call', async () => {
    const { options } = await cases();
    const chat = new Chat(options);
    const appended = chat.updateStateAfterEvent('{"version":99,"precious":true}', 'A bell rings');
    const twice = chat.updateStateAfterEvent(appended, 'Again');
    const { discarded, state } = await chat.chatWithState(twice, [user('Hm?')]);
    expect(discarded).toEqual({ reason: 'unsupported_state_version', state: '{"version":99,"precious":true}' });
    expect(state).not.toContain('precious');
    expect(state).toContain('A bell rings');
  });

  test('an observer that throws breaks nothing', async () => {
    const { options } = await cases();
    const observer = () => {
      throw new Error('no');
    };
    const { text } = await new Chat({ ...options, observer }).chatWithState('bad', [user('Hi')]);
    expect(text).toBe('Echo: Hi');
  });
});

describe('a state that a database gives as bytes', () => {
  test('is read as the text it is', async () => {
    const { emulator, chat } = await chatWith();
    const { state } = await chat.chatWithState(null, [user('Grüß dich')]);
    const next = await chat.chatWithState(Buffer.from(state), [user('Again')]);
    expect(next.discarded).toBeUndefined();
    expect(bodies(emulator)[1]).toContain('Grüß dich');
    const appended = chat.updateStateAfterEvent(new TextEncoder().encode(state), 'Rain');
    expect(appended).toContain('Grüß dich');
    expect((await chat.chatWithState(new Uint8Array(), [user('New')])).discarded).toBeUndefined();
  });

  test('is never read with characters replaced: what is not UTF-8 is discarded', async () => {
    const { chat } = await chatWith();
    const { state } = await chat.chatWithState(null, [user('Grüß dich')]);
    const { discarded } = await chat.chatWithState(Buffer.from(state, 'latin1'), [user('Again')]);
    expect(discarded?.reason).toBe('invalid_conversation_state');
  });
});

describe('another provider', () => {
  test('its state is carried over unless something else is asked for, with losses', async () => {
    const { emulator, options, chat } = await chatWith();
    emulator.script('anthropic-messages', {
      blocks: [
        { type: 'thinking', text: 'Hm' },
        { type: 'text', text: 'Hi there' },
      ],
    });
    const { state } = await chat.chatWithState(null, [user('Hello')]);
    const other = new Chat({ ...options, model: modelOf(openaiChat) });
    const result = await other.chatWithState(state, [user('Go on')]);
    expect(result.discarded).toBeUndefined();
    expect(bodies(emulator)[1]).toContain('Hi there');
    expect(result.losses.map(({ reason }) => reason)).toContain('foreign-reasoning');
    // And back: what it said itself is sent as it was.
    const back = await new Chat(options).chatWithState(result.state, [user('And?')]);
    expect(back.discarded).toBeUndefined();
    expectAccepted(emulator);
  });

  test('a state of the first version is carried over, also that of a provider which nobody knows any more', async () => {
    const { emulator, chat } = await chatWith();
    for (const provider of ['openai', 'gone']) {
      const saved = `{"version":1,"provider":"${provider}","messages":[{"role":"user","content":"My dog is Rex"}]}`;
      const { discarded } = await chat.chatWithState(saved, [user('Its name?')]);
      expect(discarded).toBeUndefined();
      expect(bodies(emulator).at(-1)).toContain('My dog is Rex');
    }
    expectAccepted(emulator);
  });

  test('appending asks nobody, so it takes the state of any provider', async () => {
    const { options, chat } = await chatWith();
    const { state } = await chat.chatWithState(null, [user('Hello')]);
    const appended = new Chat({ ...options, model: modelOf(openaiChat) }).updateStateAfterEvent(state, 'Rain');
    const result = await chat.chatWithState(appended, [user('Well?')]);
    expect(result.discarded).toBeUndefined();
    expect(result.state).toContain('Rain');
  });

  test('another dialect of the same provider is translated, never discarded', async () => {
    const { emulator, options } = await chatWith();
    const one = new Chat({ ...options, model: modelOf(openaiChat), onMismatch: 'throw' });
    const two = new Chat({ ...options, model: modelOf(responses), onMismatch: 'throw' });
    const first = await one.chatWithState(null, [user('Hello')]);
    const second = await two.chatWithState(first.state, [user('Go on')]);
    const third = await one.chatWithState(second.state, [user('And?')]);
    expect([second.discarded, third.discarded]).toEqual([undefined, undefined]);
    expect(bodies(emulator)[2]).toContain('Echo: Go on');
    expectAccepted(emulator);
  });
});

describe('what stands before the messages', () => {
  test('a change of system or tools is noticed, and where', async () => {
    const seen: ObserverEvent[] = [];
    const { chat } = await chatWith(anthropic, { tools: [weather], observer: (event) => void seen.push(event) });
    const { state, notices } = await chat.chatWithState(null, [system('A'), system('B'), user('Hi')]);
    expect(notices).toEqual([]);
    const same = await chat.chatWithState(state, [system('A'), system('B'), user('Hi')]);
    expect(same.notices).toEqual([]);
    const changed = await chat.chatWithState(state, [system('A'), system('C'), user('Hi')]);
    expect(changed.notices).toMatchObject([{ code: 'prefix-changed', at: { part: 'system', index: 1 } }]);
    const fewer = await chat.chatWithState(state, [system('A'), user('Hi')]);
    expect(fewer.notices).toMatchObject([{ code: 'prefix-changed', at: { part: 'system', index: 1 } }]);
    const clock = tool({ name: 'clock', execute: () => 'noon' });
    const tools = await chat.chatWithState(state, [system('A'), system('B'), user('Hi')], { tools: [weather, clock] });
    expect(tools.notices).toMatchObject([{ code: 'prefix-changed', at: { part: 'tools', index: 1, name: 'clock' } }]);
    const gone = await chat.chatWithState(tools.state, [system('A'), system('B'), user('Hi')], { tools: [] });
    expect(gone.notices).toMatchObject([{ at: { part: 'tools', index: 0, name: 'get_weather' } }]);
    expect(seen.filter((event) => event.type === 'notice' && event.code === 'prefix-changed')).toHaveLength(4);
    const running = chat.streamWithState(state, [user('Hi')]);
    for await (const event of running) {
      expect(event).toMatchObject({ type: 'notice', notice: { code: 'prefix-changed' } });
      break;
    }
    await running.result;
  });
});

test('an error carries what the tools did, and it can be appended to the old state', async () => {
  const { emulator, chat } = await chatWith(anthropic, { tools: [weather], retry: false });
  const { state } = await chat.chatWithState(null, [user('Hello')]);
  emulator.script('anthropic-messages', [
    { blocks: [{ type: 'tool-use', name: 'get_weather', input: { city: 'Oslo' } }] },
    { error: { status: 500 } },
  ]);
  const error = await chat.chatWithState(state, [user('Oslo?')]).catch((failure: unknown) => failure);
  expect(error).toBeInstanceOf(RunError);
  const { messages } = error as RunError;
  expect(messages.map(({ role }) => role)).toEqual(['assistant', 'tool']);
  const saved = chat.appendToState(state, [user('Oslo?'), ...messages]);
  const next = await chat.chatWithState(saved, [user('And now?')]);
  expect(next.state).toContain('celsius');
  expectAccepted(emulator);
});

test('calls that wait for approval are in the state, and are answered by a later call', async () => {
  const erase = tool({ name: 'erase', needsApproval: true, execute: () => 'erased' });
  const { emulator, chat } = await chatWith(anthropic, { tools: [erase] });
  emulator.script('anthropic-messages', [{ blocks: [{ type: 'tool-use', name: 'erase', input: {} }] }, says('Done.')]);
  const paused = await chat.chatWithState(null, [user('Erase it')]);
  expect(paused.stop.reason).toBe('approval');
  const approvals = { [paused.pending[0]!.id]: 'approve' } as const;
  const done = await chat.chatWithState(paused.state, [], { approvals });
  expect(done.text).toBe('Done.');
  expectAccepted(emulator);
});

test('a model that cannot be reached is the error of the run, and the state is not judged', async () => {
  const chat = new Chat({ model: 'nobody/x', env: {} });
  await expect(
    chat.chatWithState('{"version":1,"provider":"openai","messages":[]}', [user('Hi')]),
  ).rejects.toBeInstanceOf(RunError);
});

test('compaction is kept in the state, and sent again as it was', async () => {
  const { keepLast } = await import('@skein/core');
  const { emulator, chat } = await chatWith(anthropic, { compaction: keepLast(1, { above: 2 }) });
  let state: string | undefined;
  for (const text of ['one', 'two', 'three', 'four', 'five'].map((word) => `${word} ${'long '.repeat(80)}`))
    ({ state } = await chat.chatWithState(state, [user(text)]));
  expect(JSON.parse(state!).list.checkpoints.length).toBeGreaterThan(0);
  expect(state).toContain('one long');
  expect(bodies(emulator).at(-1)).not.toContain('one long');
  expectAccepted(emulator);
});

test('what is no message never gets into a state', async () => {
  const { chat } = await chatWith();
  const wrong = [user('Hi'), { role: 'user', content: 'Hi' } as never];
  expect(() => chat.appendToState(null, wrong)).toThrow('messages[1] is not a message');
  await expect(chat.chatWithState(null, wrong)).rejects.toThrow('messages[1] is not a message');
});
