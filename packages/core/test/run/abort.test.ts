import { type Message, type RunEvent, tool, toolResult, user } from '@skein/core';
import { type MessageReply, says } from '@skein/emulator';
import { describe, expect, test } from 'vitest';
import { APIS, type Api, anthropic, ask, expectAccepted, google, responses, rolesOf, start, weather } from './kit.ts';

const question = [user('Think hard about Oslo.')];
const thinking = { type: 'thinking', text: 'Oslo is a city in the north, and so on. '.repeat(4) } as const;
const call = {
  type: 'tool-use',
  name: 'get_weather',
  input: { city: 'A very long name of a city, so that it comes in pieces' },
} as const;

/** Runs until an event, stops there, and says something else. */
async function stopAt(api: Api, reply: MessageReply, isTime: (event: RunEvent) => boolean) {
  const emulator = await start();
  emulator.script(api.protocol, [reply, says('All right.')]);
  const running = ask(emulator, api, { messages: question, tools: [weather] });
  for await (const event of running) if (isTime(event)) running.stop();
  const result = await running.result;
  const messages: Message[] = [...question, ...result.messages, user('Never mind.')];
  const next = await ask(emulator, api, { messages, tools: [weather] }).result;
  expect(next.text).toBe('All right.');
  expectAccepted(emulator);
  return result;
}

const hang = (events: number): Pick<MessageReply, 'break' | 'pieces'> => ({
  pieces: 8,
  break: { after: { events }, how: 'hang' },
});

describe.each(APIS)('$protocol: what arrived before a stop is kept, and the next send works', (api) => {
  test('in the middle of a thought', async () => {
    const result = await stopAt(api, { blocks: [thinking], ...hang(7) }, ({ type }) => type === 'reasoning');
    expect(result.stop.reason).toBe('aborted');
    expect(rolesOf(result.messages)).toEqual(['assistant']);
    expect(result.messages[0]?.origin.cut).toBe(true);
    expect(result.steps[0]).toMatchObject({ estimated: true });
    expect(result.usage!.output + result.usage!.reasoning).toBeGreaterThan(0);
    expect(result.usage!.input).toBeGreaterThan(0);
  });

  test('in the middle of a word', async () => {
    const blocks = [{ type: 'text', text: 'Oslo is a city in the north of Europe, they say.' }] as const;
    const result = await stopAt(api, { blocks, ...hang(7) }, ({ type }) => type === 'text');
    expect(result.text).not.toBe('');
    expect('Oslo is a city in the north of Europe, they say.').toContain(result.text);
  });

  test('inside the arguments of a call, which is not run', async () => {
    const result = await stopAt(
      api,
      { blocks: [{ type: 'text', text: 'I look.' }, call], ...hang(api === responses ? 11 : 7) },
      ({ type }) => type === 'tool-use' || type === 'tool-arguments',
    );
    expect(result.stop.reason).toBe('aborted');
    expect(result.text).toBe('I look.');
    // Google sends calls in one piece: there it is complete, and answered as not run.
    expect(result.actions.map(({ outcome }) => outcome)).toEqual(api === google ? ['not-run'] : []);
    expect(result.pending).toEqual([]);
  });

  test('before the first byte', async () => {
    const emulator = await start();
    emulator.script(api.protocol, [says('Never.', { break: { after: 'head', how: 'hang' } }), says('All right.')]);
    const controller = new AbortController();
    const running = ask(emulator, api, {
      messages: question,
      signal: controller.signal,
      fetch: async (url, init) => {
        const response = await fetch(url, init);
        setImmediate(() => controller.abort());
        return response;
      },
    });
    const result = await running.result;
    expect(result).toMatchObject({ stop: { reason: 'aborted' }, messages: [], text: '' });
    const next = await ask(emulator, api, { messages: [...question, user('Hello?')] }).result;
    expect(next.text).toBe('All right.');
    expectAccepted(emulator);
  });

  test('while a tool runs', async () => {
    const emulator = await start();
    emulator.script(api.protocol, [{ blocks: [call, call] }, says('All right.')]);
    let seen: AbortSignal | undefined;
    const slow = tool({
      name: 'get_weather',
      input: weather.parameters,
      execute: (_, { signal }) => {
        seen = signal;
        setImmediate(() => running.stop());
        return new Promise<string>(() => {});
      },
    });
    const running = ask(emulator, api, { messages: question, tools: [slow] });
    const result = await running.result;
    expect(seen?.aborted).toBe(true);
    expect(result.stop.reason).toBe('aborted');
    expect(rolesOf(result.messages)).toEqual(['assistant', 'tool', 'tool']);
    expect(result.messages[1]?.text).toContain('stopped before it was done');
    const messages = [...question, ...result.messages];
    expect((await ask(emulator, api, { messages, tools: [slow] }).result).text).toBe('All right.');
    expectAccepted(emulator);
  });

  test('a result that comes late is told all the same', async () => {
    const emulator = await start();
    emulator.script(api.protocol, [{ blocks: [call] }, says('One.'), says('Two.')]);
    const first = await ask(emulator, api, {
      messages: question,
      tools: [{ ...weather, needsApproval: () => true }],
    }).result;
    const history = [...question, ...first.messages, user('Go on without it.')];
    const second = await ask(emulator, api, { messages: history, tools: [weather], previous: first.manifest }).result;
    history.push(...second.messages, toolResult(first.pending[0]!.id, '4 degrees'));
    const third = await ask(emulator, api, { messages: history, tools: [weather], previous: second.manifest }).result;
    expect(third.text).toBe('Two.');
    expect(emulator.log.at(-1)?.body.toString()).toContain('4 degrees');
    expectAccepted(emulator);
  });
});

// Other framings than server-sent events hand out all events of a chunk at once.
test.each(APIS.filter(({ protocol }) => protocol !== 'bedrock-converse'))(
  '$protocol: pieces that came before a stop are not told after it',
  async (api) => {
    const emulator = await start();
    const text = 'and so on, '.repeat(2000);
    emulator.script(api.protocol, says(text, { pieces: 2000 }));
    const running = ask(emulator, api, {
      messages: question,
      // The whole stream in one piece, as a fast server or a slow reader has it.
      fetch: async (url, init) => {
        const response = await fetch(url, init);
        return new Response(await response.arrayBuffer(), { headers: response.headers });
      },
    });
    let told = '';
    for await (const event of running) {
      if (event.type === 'text') told += event.text;
      if (told.length > 100) running.stop();
    }
    const result = await running.result;
    expect(result.stop.reason).toBe('aborted');
    expect(told.length).toBeLessThan(text.length / 2);
    expect(result.text).toBe(told);
  },
);

test('a run that is stopped before it starts sends nothing', async () => {
  const emulator = await start();
  const result = await ask(emulator, anthropic, { messages: question, signal: AbortSignal.abort() }).result;
  expect(result).toMatchObject({ stop: { reason: 'aborted' }, messages: [], steps: [] });
  expect(emulator.log).toHaveLength(0);
});
