import { type JsonObject, type Message, MessageList, tool, user } from '@skein/core';
import { says } from '@skein/emulator';
import { describe, expect, test } from 'vitest';
import { APIS, anthropic, ask, eventsOf, expectAccepted, rolesOf, start, WAYS, weather } from './kit.ts';

const question = [user('Delete it, and how is the weather?')];

function deletion() {
  const deleted: unknown[] = [];
  const remove = tool({
    name: 'delete_file',
    input: { type: 'object', properties: { path: { type: 'string' } } },
    needsApproval: true,
    execute: ({ path }) => {
      deleted.push(path);
      return 'deleted';
    },
  });
  return { deleted, tools: [remove, weather] };
}

const twoCalls = {
  blocks: [
    { type: 'thinking', text: 'Both.' },
    { type: 'tool-use', name: 'delete_file', input: { path: '/tmp/a' } },
    { type: 'tool-use', name: 'get_weather', input: { city: 'Oslo' } },
  ],
} as const;

/** As another process would find it. */
const reloaded = (messages: readonly Message[]): MessageList =>
  MessageList.fromJSON(JSON.stringify(new MessageList(messages)));

describe.each(WAYS)('$protocol, stream: $stream', ({ api, protocol, stream }) => {
  test('a call waits for approval, is saved, loaded, approved and run once', async () => {
    const emulator = await start();
    emulator.script(protocol, [twoCalls, says('Done.')]);
    const { deleted, tools } = deletion();
    const first = ask(emulator, api, { messages: question, tools, stream });
    const events = await eventsOf(first);
    const paused = await first.result;
    expect(paused.stop.reason).toBe('approval');
    expect(paused.pending.map(({ name }) => name)).toEqual(['delete_file']);
    expect(events.filter(({ type }) => type === 'approval')).toHaveLength(1);
    expect(rolesOf(paused.messages)).toEqual(['assistant', 'tool']);
    expect(deleted).toEqual([]);
    expect(emulator.log).toHaveLength(1);

    const saved = reloaded([...question, ...paused.messages]);
    const still = await ask(emulator, api, { messages: saved, tools, stream }).result;
    expect(still).toMatchObject({ stop: { reason: 'approval' }, messages: [], steps: [] });
    expect(emulator.log).toHaveLength(1);

    const approvals = { [paused.pending[0]!.id]: 'approve' } as const;
    const done = await ask(emulator, api, { messages: saved, tools, stream, approvals }).result;
    expect(rolesOf(done.messages)).toEqual(['tool', 'assistant']);
    expect(done.text).toBe('Done.');
    expect(deleted).toEqual(['/tmp/a']);
    expect(emulator.log).toHaveLength(2);
    expectAccepted(emulator);
  });
});

test.each(APIS)('$protocol: a denied call is answered with the reason, and never run', async (api) => {
  const emulator = await start();
  emulator.script(api.protocol, [twoCalls, says('All right, I leave it.')]);
  const { deleted, tools } = deletion();
  const paused = await ask(emulator, api, { messages: question, tools }).result;
  const done = await ask(emulator, api, {
    messages: reloaded([...question, ...paused.messages]),
    tools,
    approvals: { [paused.pending[0]!.id]: { deny: 'not that one' } },
  }).result;
  expect(done.messages[0]?.text).toBe('The call was denied: not that one');
  expect(done.messages[0]?.toolResults[0]?.isError).toBe(true);
  expect(done.actions.map(({ outcome }) => outcome)).toEqual(['denied']);
  expect(deleted).toEqual([]);
  expectAccepted(emulator);
});

test('a function decides by the input', async () => {
  const emulator = await start();
  const blocks = ['a', 'b'].map((name) => ({ type: 'tool-use', name: 'read', input: { name } }) as const);
  emulator.script(anthropic.protocol, { blocks });
  const read = tool({
    name: 'read',
    input: { type: 'object', properties: { name: { type: 'string' } } },
    needsApproval: ({ name }: JsonObject) => name === 'b',
    execute: ({ name }) => String(name),
  });
  const result = await ask(emulator, anthropic, { messages: question, tools: [read] }).result;
  expect(result.pending.map(({ parameters }) => parameters)).toEqual([{ name: 'b' }]);
  expect(result.messages.at(-1)?.text).toBe('a');
});

test('calls that are answered already, or behind which something was said, are not run', async () => {
  const emulator = await start();
  emulator.script(anthropic.protocol, [twoCalls, says('Well.')]);
  const { deleted, tools } = deletion();
  const paused = await ask(emulator, anthropic, { messages: question, tools }).result;
  const approvals = { [paused.pending[0]!.id]: 'approve' } as const;
  const messages = [...question, ...paused.messages, user('Never mind.')];
  const result = await ask(emulator, anthropic, { messages, tools, approvals }).result;
  expect(result.text).toBe('Well.');
  expect(deleted).toEqual([]);
  expectAccepted(emulator);
});

test.each(['deny', 'reject', 'approved', true, false, null, {}])(
  '%j is no decision: the call is not run, and the run says what one is',
  async (decision) => {
    const emulator = await start();
    emulator.script(anthropic.protocol, [twoCalls, says('Done.')]);
    const { deleted, tools } = deletion();
    const paused = await ask(emulator, anthropic, { messages: question, tools }).result;
    const id = paused.pending[0]!.id;
    const running = ask(emulator, anthropic, {
      messages: [...question, ...paused.messages],
      tools,
      approvals: { [id]: decision as never },
    });
    await expect(running.result).rejects.toThrow(
      `The approval of "${id}" must be "approve", { deny: "why" } or { result: "text" }`,
    );
    expect(deleted).toEqual([]);
    expect(emulator.log).toHaveLength(1);
  },
);
