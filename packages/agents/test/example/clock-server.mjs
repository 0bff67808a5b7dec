// A small MCP server over stdio: one tool, which only reads.
import { McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { z } from 'zod';

serveStdio(() => {
  const server = new McpServer({ name: 'clock', version: '1.0.0' });
  server.registerTool(
    'time_in',
    {
      description: 'The time in a time zone',
      inputSchema: z.object({ zone: z.string() }),
      annotations: { readOnlyHint: true },
    },
    ({ zone }) => ({ content: [{ type: 'text', text: new Date(0).toLocaleTimeString('en-GB', { timeZone: zone }) }] }),
  );
  return server;
});
