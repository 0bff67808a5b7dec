import { connect } from 'node:net';
import { loadConfig } from '@skein/agents';
import { describe, expect, test } from 'vitest';
import { question, startWorld, type World } from './kit.ts';
import { wire } from './proxy-kit.ts';

/** Bytes on a socket, and all that comes back until it ends. */
function raw({ server }: Pick<World, 'server'>, text: string, { leaveOpen = false } = {}): Promise<string> {
  const { port } = new URL(server.url);
  return new Promise((resolve) => {
    let received = '';
    const socket = connect(Number(port), '127.0.0.1', () => {
      socket.write(text);
      if (!leaveOpen) socket.end();
    });
    socket.on('data', (bytes) => {
      received += bytes.toString('latin1');
    });
    socket.on('error', () => resolve(received));
    socket.on('close', () => resolve(received));
  });
}

const isWell = async ({ api }: World) => expect((await api('GET', '/health')).status).toBe(200);

describe('who may ask', () => {
  const get = (world: World, path: string, headers: Record<string, string>, method = 'GET') =>
    wire(`${world.server.url}${path}`, { method, headers });

  test('a name that was made to point here is not answered, neither by the API nor by the proxy', async () => {
    const world = await startWorld({ hosts: ['skein.example'] });
    for (const path of ['/api/v1/threads', '/metrics', '/proxy/openai/v1/models', '/api/openapi.json']) {
      for (const host of ['evil.example', 'localhost.evil.example', 'evil.example:80', '127.0.0.1.evil.example', 'a b'])
        expect([400, 421], `${path} ${host}`).toContain((await get(world, path, { host })).status);
      for (const host of ['localhost', 'localhost:4141', '127.0.0.1:1', '[::1]:4141', 'SKEIN.example'])
        expect((await get(world, path, { host, authorization: 'Bearer k-1234567' })).status, `${path} ${host}`).toBe(
          200,
        );
    }
  });

  test('a page from elsewhere gets nothing, not even with another port of this machine', async () => {
    const world = await startWorld({ hosts: ['skein.example'] });
    const { host } = new URL(world.server.url);
    for (const path of ['/api/v1/threads', '/proxy/openai/v1/models']) {
      for (const origin of [
        'https://evil.example',
        'http://127.0.0.1:9',
        'null',
        'file://',
        `http://${host}.evil.example`,
        `http://x@${host}`,
      ])
        expect((await get(world, path, { host, origin })).status, `${path} ${origin}`).toBe(403);
      expect((await get(world, path, { host, 'sec-fetch-site': 'cross-site' })).status).toBe(403);
      for (const origin of [`http://${host}`, 'https://skein.example'])
        expect((await get(world, path, { host, origin, authorization: 'Bearer k-1234567' })).status).toBe(200);
    }
    expect(world.emulator.log.every(({ headers }) => headers.authorization !== undefined)).toBe(true);
  });

  test('the token is taken as bearer, header, cookie, and once from an address, which it then leaves', async () => {
    const token = 'correct-horse-battery';
    const world = await startWorld({ token });
    const status = async (headers: Record<string, string>) => (await get(world, '/api/v1/threads', headers)).status;
    expect(await status({})).toBe(401);
    expect(await status({ authorization: 'Bearer wrong' })).toBe(401);
    expect(await status({ authorization: `Bearer ${token}` })).toBe(200);
    expect(await status({ 'x-skein-token': token })).toBe(200);
    expect(await status({ cookie: `skein_token=${token}` })).toBe(200);
    const entered = await get(world, `/api/v1/threads?limit=1&token=${token}`, {});
    expect(entered.status).toBe(303);
    const headers = entered.rawHeaders.join('\n');
    expect(headers).toContain('/api/v1/threads?limit=1');
    expect(headers).toMatch(/skein_token=.*HttpOnly.*SameSite=Strict/);
    const away = await get(world, `//evil.example/?token=${token}`, {});
    expect(away.rawHeaders.join('\n')).not.toMatch(/location\n\/\//i);
  });

  test('guessing is slowed down, and does not lock out another one by its silence', async () => {
    const world = await startWorld({ token: 'correct-horse-battery' });
    const wrong = (index: number) => get(world, '/api/v1/threads', { authorization: `Bearer guess-${index}` });
    for (let index = 0; index < 20; index++) expect((await wrong(index)).status).toBe(401);
    expect((await wrong(20)).status).toBe(429);
    const proxied = await get(world, '/proxy/openai/v1/models', { 'x-skein-token': 'guess' });
    expect(proxied.status).toBe(429);
    const silent = await startWorld({ token: 'correct-horse-battery' });
    for (let index = 0; index < 30; index++) await get(silent, '/api/v1/threads', {});
    expect((await get(silent, '/api/v1/threads', { 'x-skein-token': 'correct-horse-battery' })).status).toBe(200);
  });

  test('only loopback is served without a token', async () => {
    const { createServer } = await import('@skein/server');
    const { config } = await (await import('@skein/agents')).loadConfig({ cwd: '/', env: {}, home: '/nonexistent' });
    const { createForest, memoryStore } = await import('@skein/forest');
    const server = createServer({ forest: createForest(memoryStore()), config, env: {} });
    await expect(server.listen({ host: '0.0.0.0', port: 0 })).rejects.toThrow('token');
  });
});

describe('where the proxy may go', () => {
  test('no path, host or header leads anywhere but to the configured address', async () => {
    const world = await startWorld();
    const { host } = new URL(world.server.url);
    const paths = [
      '/proxy/openai/../../etc/passwd',
      '/proxy/openai/v1/../../../x',
      '/proxy/openai/v1/%2e%2e/%2e%2e/x',
      '/proxy/openai/v1/.%2e/x',
      '/proxy/openai/v1/%252e%252e/x',
      '/proxy/openai/v1/..%2f..%2fx',
      '/proxy/openai/v1/..%5c..%5cx',
      '/proxy/openai/v1\\..\\..\\x',
      '/proxy/openai/v1/a%0d%0aHost:%20evil.example',
      '/proxy/openai/v1/%00',
      '/proxy/openai/v1/%zz',
      '/proxy/',
      '/proxy//evil.example/',
      '/proxy/evil.example/v1/models',
      '/proxy/http://evil.example/',
      '/proxy/__proto__/v1',
      '/proxy/constructor/v1',
    ];
    for (const path of paths) {
      const got = await wire(world.server.url, { path, headers: { host } });
      expect([400, 404], path).toContain(got.status);
      expect(got.rawHeaders, path).toContain('application/problem+json');
    }
    expect(world.emulator.log).toHaveLength(0);
    for (const target of ['http://evil.example/proxy/openai/v1/models', '*', 'evil.example:443'])
      expect(await raw(world, `GET ${target} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`)).toMatch(
        /^HTTP\/1.1 4/,
      );
    expect(world.emulator.log).toHaveLength(0);
  });

  test('a server whose own variables point at its proxy says so, and does not ask itself for ever', async () => {
    const port = 20_000 + Math.floor(Math.random() * 20_000);
    const env = { OPENAI_BASE_URL: `http://127.0.0.1:${port}/proxy/openai/v1` };
    const world = await startWorld({ env }, port);
    const got = await wire(`${world.server.url}/proxy/openai/v1/models`);
    expect(JSON.parse(got.bytes.toString())).toMatchObject({ status: 508, code: 'proxy_loop' });
  });
});

describe('broken and hostile requests', () => {
  test('bodies are bounded, with a length and without one', async () => {
    const world = await startWorld();
    const { host } = new URL(world.server.url);
    const head = `POST /api/v1/threads HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/json\r\nConnection: close\r\n`;
    expect(await raw(world, `${head}Content-Length: 99999999999\r\n\r\n{`, { leaveOpen: true })).toMatch(
      /^HTTP\/1.1 413/,
    );
    const piece = `100000\r\n${' '.repeat(0x100000)}\r\n`;
    const chunked = await raw(world, `${head}Transfer-Encoding: chunked\r\n\r\n${piece.repeat(40)}0\r\n\r\n`);
    expect(chunked).toMatch(/^HTTP\/1.1 413/);
    await isWell(world);
  });

  test('requests that stop half way, contradict themselves or are no HTTP', async () => {
    const world = await startWorld();
    const { host } = new URL(world.server.url);
    const head = `Host: ${host}\r\nContent-Type: application/json\r\n`;
    for (const path of ['/api/v1/threads', '/proxy/openai/v1/chat/completions']) {
      await raw(world, `POST ${path} HTTP/1.1\r\n${head}Content-Length: 100\r\n\r\n{"messages":`);
      await raw(world, `POST ${path} HTTP/1.1\r\n${head}Transfer-Encoding: chunked\r\n\r\nzz\r\n`);
      const both = await raw(
        world,
        `POST ${path} HTTP/1.1\r\n${head}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
      );
      expect(both).toMatch(/^HTTP\/1.1 400/);
    }
    for (const text of [
      '\0\0\0',
      'GET\r\n\r\n',
      `GET / HTTP/1.1\r\n${'x'.repeat(100_000)}\r\n\r\n`,
      'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
    ])
      expect(await raw(world, text)).toMatch(/^(HTTP\/1.1 4|$)/);
    await isWell(world);
  });

  test('a client that never finishes its request is let go', async () => {
    const world = await startWorld({ timeouts: { headers: 300, request: 600 } });
    const { host } = new URL(world.server.url);
    expect(await raw(world, `GET / HTTP/1.1\r\nHost: ${host}\r\nX: `, { leaveOpen: true })).toMatch(/^HTTP\/1.1 408/);
    const slow = `POST /api/v1/threads HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/json\r\nContent-Length: 50\r\n\r\n{`;
    expect(await raw(world, slow, { leaveOpen: true })).toMatch(/^(HTTP\/1.1 4|$)/);
    await isWell(world);
  });
});

test('an empty token is none, and not one that everybody has', async () => {
  await expect(startWorld({ token: '' })).rejects.toMatchObject({
    code: 'invalid_configuration',
    message: expect.stringContaining('The token is empty'),
  });
});

test('what the configuration says of names and of the proxy counts', async () => {
  const { config } = await loadConfig({
    cwd: '/',
    env: {},
    home: '/nonexistent',
    flags: { hosts: 'skein.example', proxyMode: 'replay' },
  });
  const world = await startWorld({ config });
  const asName = await wire(`${world.server.url}/api/v1/health`, { headers: { host: 'skein.example' } });
  expect(asName.status).toBe(200);
  const missed = await wire(`${world.server.url}/proxy/openai/v1/chat/completions`, { method: 'POST', body: '{}' });
  expect(missed.status).toBe(404);
  expect(world.emulator.log).toHaveLength(0);
});

test('a place to go on from that is none is refused before the stream begins', async () => {
  const world = await startWorld();
  const { body: node } = await world.api('POST', '/nodes/root/messages', { messages: [question('Hello')] });
  const { body: generation } = await world.api('POST', '/generations', { node: node.id, model: 'openai-chat/gpt-5.5' });
  const events = `/generations/${generation.id}/events`;
  for (const headers of [{ 'last-event-id': 'garbage' }, { 'last-event-id': '7' }] as Record<string, string>[])
    expect(await world.api('GET', events, undefined, headers)).toMatchObject({
      status: 400,
      body: { code: 'bad_event' },
    });
  expect(await world.api('GET', `${events}?after=x`)).toMatchObject({ status: 400, body: { code: 'bad_event' } });
});
