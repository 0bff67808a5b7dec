/** The Responses API over a WebSocket, served by the gateway. */
import { expect, onTestFinished, test } from 'vitest';
import { WebSocket } from 'ws';
import { speaks } from './gateway-kit.ts';
import { startWorld } from './kit.ts';
import { recorded } from './proxy-kit.ts';

interface Event {
  readonly type: string;
  readonly stream_id?: string;
  readonly status?: number;
  readonly response?: { readonly id: string; readonly output: readonly { readonly type: string }[] };
  readonly error?: { readonly code: string };
}

async function open(url: string, path = '/gateway/openai/v1/responses') {
  const socket = new WebSocket(`${url.replace('http', 'ws')}${path}`, { headers: { authorization: 'Bearer skein' } });
  onTestFinished(() => socket.terminate());
  const events: Event[] = [];
  socket.on('message', (data) => events.push(JSON.parse(String(data)) as Event));
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
  const ask = async (frame: object) => {
    const ends = () => events.filter(({ type }) => /^(error|response\.(completed|incomplete|failed))$/.test(type));
    const before = ends().length;
    socket.send(
      JSON.stringify({ type: 'response.create', model: 'anthropic/claude-sonnet-4-5', store: false, ...frame }),
    );
    await expect.poll(() => ends().length, { timeout: 20_000 }).toBe(before + 1);
    return ends().at(-1)!;
  };
  return { events, ask };
}

test('a WebSocket client is answered by another provider, after a warm-up, turn by turn, in lanes', async () => {
  const { server, emulator, forest } = await startWorld();
  emulator.script('anthropic-messages', [
    { blocks: speaks('A greeting.', 'Hello.') },
    { blocks: speaks('More.', 'More.') },
    { error: { status: 400, message: 'No.' } },
  ]);
  const { events, ask } = await open(server.url);
  const input = [{ role: 'user', content: 'Hi' }];
  const warm = await ask({ generate: false, instructions: 'Be brief.', input });
  expect(warm.response!.output).toEqual([]);
  expect(emulator.log).toHaveLength(0);
  const first = await ask({ previous_response_id: warm.response!.id, input: [], stream_id: 'a' });
  expect(first.stream_id).toBe('a');
  expect(first.response!.output.map(({ type }) => type)).toEqual(['reasoning', 'message']);
  expect(events.filter(({ type }) => type === 'response.output_text.delta')).not.toEqual([]);
  expect(JSON.parse(emulator.log[0]!.body.toString())).toMatchObject({ messages: [{ role: 'user' }] });
  expect(emulator.log[0]!.body.toString()).toContain('Be brief.');
  await ask({ previous_response_id: first.response!.id, input: [{ role: 'user', content: 'And?' }] });
  expect(JSON.parse(emulator.log[1]!.body.toString()).messages).toHaveLength(3);
  const signature = /"signature":"([^"]+)"/.exec(emulator.log[0]!.served!.body.toString())![1]!;
  expect(emulator.log[1]!.body.toString()).toContain(signature);
  const refused = await ask({ input });
  expect(refused).toMatchObject({ type: 'error', status: 400 });
  const unknown = await ask({ input, previous_response_id: 'resp_nothing' });
  expect(unknown.error).toMatchObject({ code: 'previous_response_not_found' });
  const exchanges = await recorded(forest, 4);
  expect(exchanges.map(({ outcome }) => outcome)).toEqual(['done', 'done', 'refused', 'refused']);
});

test('a WebSocket at any other address is answered with 426, so that clients go back to HTTP at once', async () => {
  const { server } = await startWorld();
  await expect(open(server.url, '/gateway/openai/v1/chat/completions')).rejects.toThrow('426');
});

test('a connection keeps only its last warm-ups, so that a client cannot fill the memory with them', async () => {
  const { server } = await startWorld();
  const { ask } = await open(server.url);
  const ids: string[] = [];
  for (let count = 0; count < 20; count++)
    ids.push((await ask({ generate: false, input: [{ role: 'user', content: 'Hi' }] })).response!.id);
  const oldest = await ask({ previous_response_id: ids[0], input: [] });
  expect(oldest.error).toMatchObject({ code: 'previous_response_not_found' });
  expect(await ask({ previous_response_id: ids.at(-1), input: [] })).toMatchObject({ type: 'response.completed' });
});
