import { createServer, get } from 'node:http';
import { type AddressInfo, Socket } from 'node:net';
import { expect, test } from 'vitest';
import { createConnections } from './forward.ts';
import { toHeaderMap } from './headers.ts';

/** How long an idle connection is kept behind an answer with this header; undefined where it is closed. */
function keptFor(protocol: string, keepAlive?: string): number | undefined {
  const connections = createConnections();
  const socket = new Socket();
  const headers = keepAlive === undefined ? {} : { 'keep-alive': keepAlive };
  connections.answered(socket, new Map(Object.entries(headers)));
  const isKept = connections.agentFor(protocol).keepSocketAlive(socket) as unknown;
  return isKept ? socket.timeout : undefined;
}

test('an idle connection is closed a second before its server says that it will', () => {
  expect(keptFor('http:', 'timeout=5')).toBe(4000);
  expect(keptFor('https:', 'max=100, timeout=30')).toBe(29_000);
  expect(keptFor('http:', 'timeout=99999')).toBe(600_000);
  expect(keptFor('https:', 'timeout=1')).toBeUndefined();
});

test('where the server says nothing, hosted ones are kept longer than those nearby', () => {
  expect(keptFor('http:')).toBe(4000);
  expect(keptFor('https:')).toBe(50_000);
  expect(keptFor('http:', 'max=100')).toBe(4000);
});

test('the next request takes the connection of the one before', async () => {
  const sockets = new Set<Socket>();
  const server = createServer((request, response) => {
    sockets.add(request.socket);
    response.end('done');
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const connections = createConnections();
  const ask = () =>
    new Promise<void>((done, fail) => {
      const { port } = server.address() as AddressInfo;
      const request = get({ host: '127.0.0.1', port, agent: connections.agentFor('http:') }, (answer) => {
        connections.answered(request.socket, toHeaderMap(answer.rawHeaders));
        answer.resume().on('end', () => setImmediate(done));
      });
      request.on('error', fail);
    });
  await ask();
  await ask();
  expect(sockets.size).toBe(1);
  connections.close();
  await new Promise((done) => server.close(done));
});
