import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { createMcpHandler } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { Hono } from 'hono';
import { createAccess, guard } from '../http/access.ts';
import { problemResponse, toProblem } from '../http/problem.ts';
import type { ListeningServer } from '../index.ts';
import { createMcpServer, type McpForestOptions } from './mcp-server.ts';

/** Where an MCP server listens, and who may use it. */
export interface McpServerOptions {
  /** Port 0 takes any free port. */
  readonly port: number;
  readonly host: string;
  /** The token that every client needs. Without one, only loopback should be listened on. */
  readonly token?: string;
}

/**
 * Serves a forest to MCP clients over HTTP, at `/mcp`.
 *
 * @example
 * const { url } = await listenForMcp({ forest }, { port: 0, host: '127.0.0.1' });
 */
export async function listenForMcp(
  options: McpForestOptions,
  { port, host, token }: McpServerOptions,
): Promise<ListeningServer> {
  const handler = createMcpHandler(() => createMcpServer(options));
  const app = new Hono();
  app.onError((error, c) => problemResponse(c, toProblem(error)));
  app.use(guard(createAccess({ ...(token !== undefined && { token }), hosts: [host] })));
  app.all('/mcp', (c) => handler.fetch(c.req.raw));
  const server = createServer(getRequestListener(app.fetch));
  await new Promise<void>((done, fail) => {
    server.once('error', fail);
    server.listen(port, host, done);
  });
  const name = host.includes(':') ? `[${host}]` : host;
  return {
    url: `http://${name}:${(server.address() as AddressInfo).port}`,
    async close() {
      await handler.close();
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}

/**
 * Serves a forest to the MCP client that started this process, over standard input and output. Resolves when the client
 * has gone.
 *
 * @example
 * await serveMcpOnStdio({ forest });
 */
export async function serveMcpOnStdio(options: McpForestOptions): Promise<void> {
  const gone = new Promise<void>((resolve) => {
    process.stdin.once('end', resolve);
    process.stdin.once('close', resolve);
    process.once('SIGINT', resolve);
    process.once('SIGTERM', resolve);
  });
  const handle = serveStdio(() => createMcpServer(options));
  await gone;
  await handle.close();
}
