// A real MCP server for the tests: `node good.mjs` speaks over stdio, `node good.mjs http <port>` over streamable HTTP.
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { NodeStreamableHTTPServerTransport } from '@modelcontextprotocol/node';
import { McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { z } from 'zod';

const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

function makeServer() {
  const server = new McpServer({ name: 'good', version: '1.0.0' });
  const read = { annotations: { readOnlyHint: true } };
  server.registerTool(
    'echo',
    { description: 'Says it again', inputSchema: z.object({ text: z.string() }), ...read },
    ({ text }) => ({ content: [{ type: 'text', text }] }),
  );
  server.registerTool('pid', read, () => ({ content: [{ type: 'text', text: String(process.pid) }] }));
  server.registerTool('environment', read, () => ({ content: [{ type: 'text', text: JSON.stringify(process.env) }] }));
  server.registerTool('picture', read, () => ({
    content: [
      { type: 'text', text: 'A dot.' },
      { type: 'image', data: PIXEL, mimeType: 'image/png' },
    ],
  }));
  server.registerTool('weather', { outputSchema: z.object({ celsius: z.number() }), ...read }, () => ({
    content: [],
    structuredContent: { celsius: 4 },
  }));
  server.registerResource('notes', 'note://first', { mimeType: 'text/plain' }, (uri) => ({
    contents: [{ uri: uri.href, text: 'Buy wool.' }],
  }));
  server.registerPrompt('review', { argsSchema: z.object({ language: z.string() }) }, ({ language }) => ({
    messages: [{ role: 'user', content: { type: 'text', text: `Review this ${language} code.` } }],
  }));
  server.registerTool('fail', read, () => ({ content: [{ type: 'text', text: 'the disk is full' }], isError: true }));
  server.registerTool('add_file', { annotations: { destructiveHint: false } }, () => ({ content: [] }));
  server.registerTool('delete_all', { annotations: { destructiveHint: true } }, () => ({ content: [] }));
  server.registerTool('who_knows', {}, () => ({ content: [] }));
  // Dies in the middle of the call.
  server.registerTool('die', read, () => {
    process.kill(process.pid, 'SIGKILL');
    return new Promise(() => {});
  });
  // Never answers this call, but all others.
  server.registerTool('wait', read, () => new Promise(() => {}));
  // Answers nothing any more.
  server.registerTool('freeze', read, () => {
    for (;;);
  });
  return server;
}

if (process.argv[2] === 'http') {
  /** @type {Map<string, NodeStreamableHTTPServerTransport>} */
  const sessions = new Map();
  const http = createServer(async (request, response) => {
    const id = request.headers['mcp-session-id'];
    let transport = sessions.get(String(id));
    if (id !== undefined && !transport) {
      response.writeHead(404).end('{"jsonrpc":"2.0","error":{"code":-32001,"message":"Session not found"},"id":null}');
      return;
    }
    if (!transport) {
      transport = new NodeStreamableHTTPServerTransport({
        sessionIdGenerator: () => randomUUID(),
        onsessioninitialized: (session) => {
          if (transport) sessions.set(session, transport);
        },
      });
      await makeServer().connect(transport);
    }
    await transport.handleRequest(request, response);
  });
  http.listen(Number(process.argv[3]), '127.0.0.1', () => console.log(JSON.stringify(http.address())));
} else {
  serveStdio(makeServer);
}
