/** Anthropic's message threads, over HTTP and with Anthropic's SDK. */
import Anthropic from '@anthropic-ai/sdk';
import { type EmulatorOptions, says, startEmulator } from '@skein/emulator';
import { describe, expect, onTestFinished, test } from 'vitest';

const BETA = 'message-threads-2026-08-12';
const TOOL = { name: 'look', input_schema: { type: 'object', properties: {} } };
const CALL = { blocks: [{ type: 'tool-use' as const, name: 'look', input: {} }] };
const hello = { role: 'user', content: 'Hello' };

interface Answered {
  readonly id: string;
  readonly content: readonly { readonly id: string }[];
  readonly error: { readonly message: string; readonly details?: { readonly error_code: string } };
}

async function start(options: EmulatorOptions = {}) {
  let now = 1_000_000;
  const emulator = await startEmulator({ now: () => now, ...options });
  onTestFinished(() => emulator.close());
  const send = async (body: object, { key = 'k', ...more }: Record<string, string> = {}) => {
    const response = await fetch(`${emulator.url}/v1/messages`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'anthropic-version': '2026-10-21', 'anthropic-beta': BETA, ...more },
      body: JSON.stringify({ model: 'claude-opus-5-5', max_tokens: 100, ...body }),
    });
    return { status: response.status, body: (await response.json()) as Answered };
  };
  return { emulator, send, wait: (ms: number) => (now += ms) };
}

const create = { thread: { type: 'create' } };
const after = (id: string) => ({ thread: { type: 'continue', previous_message_id: id } });
const code = ({ status, body }: { status: number; body: Answered }) => [status, body.error?.details?.error_code];

describe('a thread', () => {
  test('a tool result that continues a thread is checked against the rebuilt conversation', async () => {
    const { emulator, send } = await start();
    emulator.script('anthropic-messages', [CALL, says('Done')]);
    const first = await send({ system: 'Be brief.', tools: [TOOL], messages: [hello], ...create });
    const result = { type: 'tool_result', tool_use_id: first.body.content[0]!.id, content: 'found' };
    const second = await send({ messages: [{ role: 'user', content: [result] }], ...after(first.body.id) });
    expect(second.status).toBe(200);
    const orphan = { ...result, tool_use_id: 'toolu_other' };
    const third = await send({ messages: [{ role: 'user', content: [orphan] }], ...after(second.body.id) });
    expect(third.body.error.message).toContain('unexpected `tool_use_id`');
  });

  test('needs its beta', async () => {
    const { send } = await start();
    expect((await send({ messages: [hello], ...create }, { 'anthropic-beta': '' })).status).toBe(400);
  });

  test('is not found under another key, and not after five minutes', async () => {
    const { send, wait } = await start();
    const { body } = await send({ messages: [hello], ...create });
    expect(code(await send({ messages: [hello], ...after(body.id) }, { key: 'other' }))).toEqual([
      404,
      'thread_not_found',
    ]);
    wait(5 * 60_000 + 1);
    expect(code(await send({ messages: [hello], ...after(body.id) }))).toEqual([404, 'thread_not_found']);
  });

  test('is continued once', async () => {
    const { send } = await start();
    const { body } = await send({ messages: [hello], ...create });
    expect((await send({ messages: [hello], ...after(body.id) })).status).toBe(200);
    expect(code(await send({ messages: [hello], ...after(body.id) }))).toEqual([400, 'thread_already_continued']);
  });

  test('is continued by one request at a time', async () => {
    let release = () => {};
    const open = new Promise<void>((resolve) => {
      release = resolve;
    });
    let asked = 0;
    const { send } = await start({
      brain: async () => {
        asked += 1;
        if (asked === 2) await open;
        return says('Yes');
      },
    });
    const { body } = await send({ messages: [hello], ...create });
    const slow = send({ messages: [hello], ...after(body.id) });
    await expect.poll(() => asked).toBe(2);
    expect(code(await send({ messages: [hello], ...after(body.id) }))).toEqual([400, 'thread_continue_in_flight']);
    release();
    expect((await slow).status).toBe(200);
  });

  test('keeps its settings: the error names the fields that differ', async () => {
    const { send } = await start();
    const { body } = await send({ system: 'A', messages: [hello], ...create });
    const other = await send({ model: 'claude-sonnet-5', system: 'B', messages: [hello], ...after(body.id) });
    expect(code(other)).toEqual([400, 'thread_fingerprint_mismatch']);
    expect(other.body.error.message).toContain('differing field(s): model, system');
    expect((await send({ system: 'A', messages: [hello], ...after(body.id) })).status).toBe(200);
  });

  test('refuses what it cannot hold, with the names of it', async () => {
    const { send } = await start();
    const { body, status } = await send({ messages: [hello], fallbacks: 'default', ...create });
    expect(status).toBe(400);
    expect(body.error.details).toEqual({ error_code: 'thread_unsupported_request', unsupported: ['fallbacks'] });
  });

  test('keeps nothing of a refusal and of a stream that broke', async () => {
    const { emulator, send } = await start();
    emulator.script('anthropic-messages', [{ ...says('No'), stop: 'refusal' }]);
    const refused = await send({ messages: [hello], ...create });
    expect(code(await send({ messages: [hello], ...after(refused.body.id) }))).toEqual([404, 'thread_not_found']);
    const whole = await send({ messages: [hello], ...create });
    emulator.script('anthropic-messages', [{ ...says('Broken'), break: { after: { bytes: 20 }, how: 'cut' } }]);
    await expect(send({ messages: [hello], ...after(whole.body.id) })).rejects.toThrow();
    await expect.poll(() => emulator.log.at(-1)?.served).toBeDefined();
    expect(code(await send({ messages: [hello], ...after(whole.body.id) }))).toEqual([400, 'thread_already_continued']);
  });

  test('goes on without new messages only after a paused turn', async () => {
    const { emulator, send } = await start();
    const { body } = await send({ messages: [hello], ...create });
    expect((await send({ messages: [], ...after(body.id) })).body.error.message).toBe(
      'messages: at least one message is required',
    );
    const call = { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: {} };
    emulator.script('anthropic-messages', [{ blocks: [{ type: 'native', value: call }], stop: 'pause' }]);
    const paused = await send({ messages: [hello], ...after(body.id) });
    expect((await send({ messages: [], ...after(paused.body.id) })).status).toBe(200);
  });
});

test("Anthropic's SDK keeps a thread with tools, and replays it after an expiry", async () => {
  const { emulator, wait } = await start();
  emulator.script('anthropic-messages', [CALL, says('Found'), says('Again')]);
  const client = new Anthropic({ apiKey: 'k', baseURL: emulator.url, maxRetries: 0 });
  const thread = client.beta.messages.thread({
    model: 'claude-opus-5-5',
    max_tokens: 100,
    system: 'Be brief.',
    tools: [TOOL as never],
  });
  const first = await thread.send({ role: 'user', content: 'Look' });
  const [call] = first.content as { id: string }[];
  await thread.send([{ role: 'user', content: [{ type: 'tool_result', tool_use_id: call!.id, content: 'it' }] }]);
  wait(10 * 60_000);
  const last = await thread.send({ role: 'user', content: 'And now?' });
  expect(last.content).toMatchObject([{ type: 'text', text: 'Again' }]);
  const bodies = emulator.log.map(({ body }) => JSON.parse(body.toString()));
  expect(bodies.map(({ thread: { type }, messages }) => [type, messages.length])).toEqual([
    ['create', 1],
    ['continue', 1],
    ['continue', 1],
    ['create', 5],
  ]);
});
