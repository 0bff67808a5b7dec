/** `steer`: messages that are added while a run goes on. */
import { Conversation, type Run, type RunEvent, type RunOptions, SocketSession, toolResult, user } from '@skein/core';
import { type Emulator, says } from '@skein/emulator';
import { describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { anthropic, ask, bodies, expectAccepted, responses, rolesOf, start, weather } from './kit.ts';

const CALL = { blocks: [{ type: 'tool-use' as const, name: 'get_weather', input: { city: 'Oslo' } }] };
/** Lets other work in between two events. */
const slow = { sleep: () => new Promise<void>((resolve) => setImmediate(resolve)) };

/** An emulator that holds a reply before an event until it has answered to input that was added. */
async function startHeld(event: number) {
  let open = () => {};
  const gate = new Promise<void>((resolve) => {
    open = resolve;
  });
  let count = 0;
  const emulator = await start({ sleep: () => (++count < event ? slow.sleep() : gate) });
  const openSocket: NonNullable<RunOptions['openSocket']> = async (url, headers, { onMessage, onClose }) => {
    const socket = new WebSocket(url, { headers: { ...headers } });
    socket.on('message', (data) => {
      if (String(data).includes('"response.steer.')) open();
      onMessage(String(data));
    });
    socket.on('close', () => onClose(''));
    await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
    return { send: (text) => socket.send(text), close: () => socket.close() };
  };
  return { emulator, openSocket };
}
const LONG = {
  blocks: [
    { type: 'thinking' as const, text: 'Let me think about it.' },
    { type: 'text' as const, text: 'A long answer that nobody wants any more.' },
  ],
  chunkDelay: 3,
};

/** Steers once, at the first event for which a condition holds. */
async function steerAt(running: Run, isTime: (event: RunEvent) => boolean, text = 'Be brief.') {
  let isDone = false;
  for await (const event of running) {
    if (isDone || !isTime(event)) continue;
    isDone = true;
    expect(running.steer(text)).toBe(true);
  }
  expect(isDone).toBe(true);
  return running.result;
}

const sent = (emulator: Emulator) => bodies(emulator).map((body) => JSON.parse(body));

describe.each([anthropic, responses])('$protocol over HTTP', (api) => {
  test('a message waits for the next request, behind the results', async () => {
    const emulator = await start(slow);
    emulator.script(api.protocol, [CALL, says('Warm.')]);
    const running = ask(emulator, api, { tools: [weather], messages: [user('Weather?')] });
    const { messages } = await steerAt(running, ({ type }) => type === 'tool-use');
    expect(rolesOf(messages)).toEqual(['assistant', 'tool', 'user', 'assistant']);
    expect(bodies(emulator)).toHaveLength(2);
    expect(bodies(emulator)[1]).toContain('Be brief.');
    expectAccepted(emulator);
  });

  test('a run that would end goes on until the message is answered', async () => {
    const emulator = await start(slow);
    emulator.script(api.protocol, [says('A first answer.')]);
    const result = await steerAt(ask(emulator, api, { messages: [user('Hi')] }), ({ type }) => type === 'text');
    expect(result.text).toBe('Echo: Be brief.');
    expect(rolesOf(result.messages)).toEqual(['assistant', 'user', 'assistant']);
    expectAccepted(emulator);
  });
});

test('what comes after the end is refused, and what comes too late is in the history', async () => {
  const emulator = await start(slow);
  const running = ask(emulator, anthropic, { messages: [user('Hi')] });
  await running.result;
  expect(running.steer('Too late')).toBe(false);
  const limited = ask(emulator, anthropic, { messages: [user('Hi')], limits: { steps: 1 } });
  const { messages, stop } = await steerAt(limited, ({ type }) => type === 'text', 'Later');
  expect(stop.reason).toBe('steps');
  expect(messages.at(-1)!.text).toBe('Later');
});

test('beside calls that wait for approval, a message is told and not sent', async () => {
  const emulator = await start(slow);
  emulator.script('anthropic-messages', [CALL]);
  const tools = [{ ...weather, needsApproval: () => true } as typeof weather];
  const running = ask(emulator, anthropic, { tools, messages: [user('Weather?')] });
  const { notices, pending, messages } = await steerAt(running, ({ type }) => type === 'tool-use');
  expect(pending).toHaveLength(1);
  expect(messages).toHaveLength(1);
  expect(notices.map(({ code }) => code)).toEqual(['steering']);
});

test('a conversation takes the message for its next step', async () => {
  const emulator = await start(slow);
  emulator.script('anthropic-messages', [CALL, says('Warm.')]);
  const conversation = new Conversation({
    config: { model: 'anthropic/claude-opus-5-5', env: emulator.env(), tools: [weather] },
  });
  const running = conversation.run({ messages: [user('Weather?')] });
  await steerAt(running, ({ type }) => type === 'tool-use');
  expect(bodies(emulator).join('')).toContain('Be brief.');
  expectAccepted(emulator);
});

describe('over a WebSocket', () => {
  const base: Omit<RunOptions, 'model' | 'messages'> = { transport: 'websocket', tools: [weather] };

  test('the response ends early, and the API goes on with the message by itself', async () => {
    const { emulator, openSocket } = await startHeld(7);
    emulator.script('openai-responses', [LONG, says('Short.')]);
    const running = ask(emulator, responses, { ...base, openSocket, messages: [user('Hi')] });
    const result = await steerAt(running, ({ type }) => type === 'reasoning');
    expect(result.text).toBe('Short.');
    expect(rolesOf(result.messages)).toEqual(['assistant', 'user', 'assistant']);
    expect(result.steps.map(({ stop }) => stop.native)).toEqual(['steered', 'completed']);
    expect(result.messages[0]!.text).toBe('');
    // The second one was made by the API: nobody asked for it.
    expect(sent(emulator)[1]).toMatchObject({ input: [{ role: 'user' }], previous_response_id: expect.any(String) });
    expect(result.steps[1]!.sent!.head).toContain(sent(emulator)[1].previous_response_id);
    const next = [user('Hi'), ...result.messages, user('Thanks')];
    expect((await ask(emulator, responses, { messages: next }).result).text).toBe('Echo: Thanks');
    expectAccepted(emulator);
  });

  test('a response that is complete before is followed by the next one', async () => {
    const { emulator, openSocket } = await startHeld(7);
    emulator.script('openai-responses', [says('A whole answer.', { chunkDelay: 3, pieces: 4 }), says('Short.')]);
    const running = ask(emulator, responses, { ...base, openSocket, messages: [user('Hi')] });
    const result = await steerAt(running, ({ type }) => type === 'text');
    expect(result.text).toBe('Short.');
    expect(rolesOf(result.messages)).toEqual(['assistant', 'user', 'assistant']);
    expectAccepted(emulator);
  });

  test('behind a call, the API puts the message before the results, and it is not sent twice', async () => {
    const { emulator, openSocket } = await startHeld(7);
    emulator.script('openai-responses', [{ ...CALL, chunkDelay: 3, pieces: 2 }, says('Warm.')]);
    const running = ask(emulator, responses, { ...base, openSocket, messages: [user('Weather?')] });
    const result = await steerAt(running, ({ type }) => type === 'tool-arguments');
    expect(result.text).toBe('Warm.');
    expect(rolesOf(result.messages)).toEqual(['assistant', 'tool', 'user', 'assistant']);
    const { input } = sent(emulator)[1];
    expect(input.map(({ type }: { type: string }) => type)).toEqual(['function_call_output']);
    expect(result.losses).toEqual([]);
    expectAccepted(emulator);
  });

  test('what the API does not take is sent with the next request', async () => {
    const { emulator, openSocket } = await startHeld(7);
    emulator.script('openai-responses', [LONG, says('Short.')]);
    const extraBody = { context_management: [{ type: 'compaction', compact_threshold: 100_000 }] };
    const running = ask(emulator, responses, { ...base, openSocket, extraBody, messages: [user('Hi')] });
    const result = await steerAt(running, ({ type }) => type === 'reasoning');
    expect(result.text).toBe('Short.');
    expect(result.messages[0]!.text).toContain('A long answer');
    expect(sent(emulator)[1].input).toHaveLength(1);
    expectAccepted(emulator);
  });

  test('a connection that is lost loses no message', async () => {
    const { emulator, openSocket } = await startHeld(13);
    emulator.script('openai-responses', [{ ...LONG, break: { after: { events: 14 }, how: 'cut' } }]);
    const running = ask(emulator, responses, { ...base, openSocket, messages: [user('Hi')], retry: false });
    const failed = await steerAt(running, ({ type }) => type === 'text').catch((error: unknown) => error);
    const { messages } = failed as { messages: ReturnType<typeof user>[] };
    expect(messages.map(({ role }) => role)).toEqual(['assistant', 'user']);
    const next = await ask(emulator, responses, { ...base, openSocket, messages: [user('Hi'), ...messages] }).result;
    expect(next.text).toBe('Echo: Be brief.');
    expectAccepted(emulator);
  });

  test('runs that share a connection have lanes, and each is steered alone', async () => {
    const { emulator, openSocket } = await startHeld(12);
    emulator.script('openai-responses', [LONG, LONG, says('Short.')]);
    const session = new SocketSession({ openSocket });
    const [one, other] = ['One', 'Two'].map((text) =>
      ask(emulator, responses, { transport: session, messages: [user(text)] }),
    );
    const results = await Promise.all([steerAt(one!, ({ type }) => type === 'reasoning'), other!.result]);
    session.close();
    expect(results.map(({ messages }) => messages.length).toSorted()).toEqual([1, 3]);
    expect(results[1]!.text).toContain('A long answer');
    expectAccepted(emulator);
  });
});

test('a result that was already given is no obstacle', async () => {
  const emulator = await start(slow);
  emulator.script('openai-responses', [CALL]);
  const first = await ask(emulator, responses, { messages: [user('Weather?')], limits: { steps: 1 } }).result;
  const [call] = first.messages[0]!.toolUses;
  const messages = [user('Weather?'), first.messages[0]!, toolResult(call!.id, 'Cold')];
  const running = ask(emulator, responses, { transport: 'websocket', messages });
  expect((await steerAt(running, ({ type }) => type === 'text')).text).toBe('Echo: Be brief.');
  expectAccepted(emulator);
});
