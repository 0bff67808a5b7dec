/** The Responses API over a WebSocket. */
import { type EmulatorOptions, says, startEmulator } from '@skein/emulator';
import { expect, onTestFinished, test } from 'vitest';
import { WebSocket } from 'ws';

interface Event {
  readonly type: string;
  readonly stream_id?: string;
  readonly response?: { readonly id: string; readonly output: readonly unknown[] };
  readonly error?: { readonly code: string; readonly message: string };
}

async function start(options: EmulatorOptions = {}) {
  let now = 1_000_000;
  const emulator = await startEmulator({ now: () => now, ...options });
  onTestFinished(() => emulator.close());
  const connect = async () => {
    const socket = new WebSocket(`${emulator.url.replace('http', 'ws')}/v1/responses`, {
      headers: { authorization: 'Bearer k' },
    });
    const events: Event[] = [];
    socket.on('message', (data) => events.push(JSON.parse(String(data)) as Event));
    await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
    const send = (frame: object) =>
      socket.send(JSON.stringify({ type: 'response.create', model: 'gpt-5.5', input: 'Hi', ...frame }));
    /** The event that ends the next response. */
    const next = async (count = 1) => {
      const ends = () => events.filter(({ type }) => /^(error|response\.(completed|incomplete|failed))$/.test(type));
      await expect.poll(() => ends().length).toBeGreaterThanOrEqual(count);
      return ends()[count - 1]!;
    };
    return { socket, events, send, next };
  };
  return { emulator, connect, wait: (ms: number) => (now += ms) };
}

test('responses follow each other on one connection, and nothing is stored that should not be', async () => {
  const { emulator, connect } = await start();
  const { send, next, socket } = await connect();
  send({ store: false });
  const first = await next();
  send({ store: false, previous_response_id: first.response!.id, input: 'And?' });
  expect((await next(2)).type).toBe('response.completed');
  send({ store: false, previous_response_id: first.response!.id, input: 'Again?' });
  expect((await next(3)).error).toMatchObject({
    code: 'previous_response_not_found',
    message: `Previous response with id '${first.response!.id}' not found.`,
  });
  expect(emulator.log).toHaveLength(3);
  expect(socket.extensions).toContain('permessage-deflate');
});

test('the log has each frame as it came, not its text written again', async () => {
  const { emulator, connect } = await start();
  const { socket, next } = await connect();
  const frame = '{ "type":"response.create", "generate":true, "stream_id":"a", "model":"gpt-5.5", "input":"\\u0048i" }';
  socket.send(frame);
  await next();
  expect(emulator.log.map(({ body }) => body.toString())).toEqual([frame]);
});

test('a failure in a lane evicts its parent', async () => {
  const { connect } = await start();
  const { send, next } = await connect();
  send({ store: false });
  const { id } = (await next()).response!;
  send({ store: false, previous_response_id: id, nonsense: 1 });
  expect((await next(2)).error?.code).toBe('unknown_parameter');
  send({ store: false, previous_response_id: id });
  expect((await next(3)).error?.code).toBe('previous_response_not_found');
});

test('a warm-up has no output, and an id that can be continued', async () => {
  const { connect } = await start();
  const { send, next } = await connect();
  send({ generate: false, store: false });
  const { response } = await next();
  expect(response!.output).toEqual([]);
  send({ previous_response_id: response!.id, store: false, input: 'Go' });
  expect((await next(2)).type).toBe('response.completed');
});

test('lanes have their limits', async () => {
  const { connect, wait } = await start();
  const { send, next, events } = await connect();
  send({ stream_id: 'a b' });
  expect((await next()).error?.code).toBe('invalid_stream_id');
  for (let lane = 0; lane < 33; lane++) send({ stream_id: `lane-${lane}` });
  await next(34);
  const codes = events.flatMap(({ error }) => (error ? [error.code] : []));
  expect(codes).toEqual(['invalid_stream_id', 'websocket_stream_limit_reached']);
  expect(events.find(({ type }) => type === 'response.completed')?.stream_id).toBe('lane-0');
  wait(61 * 60_000);
  send({});
  expect((await next(35)).error?.code).toBe('websocket_connection_limit_reached');
});

test('a connection breaks in the middle of a response', async () => {
  const { emulator, connect } = await start();
  emulator.script('openai-responses', [{ ...says('Never whole'), break: { after: { events: 3 }, how: 'cut' } }]);
  const { send, socket, events } = await connect();
  const closed = new Promise((resolve) => socket.once('close', resolve));
  send({});
  await closed;
  expect(events.map(({ type }) => type)).not.toContain('response.completed');
});

test('an upgrade without a key is refused', async () => {
  const { emulator } = await start();
  const socket = new WebSocket(`${emulator.url.replace('http', 'ws')}/v1/responses`);
  const status = await new Promise((resolve) =>
    socket.once('unexpected-response', (_, { statusCode }) => resolve(statusCode)),
  );
  expect(status).toBe(401);
});
