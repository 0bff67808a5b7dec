import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { expect, onTestFinished, test } from 'vitest';
import { command } from '../../../scripts/installed-packages.ts';
import { seedHome } from './seeded-home.ts';

test('a real MCP client starts "skein mcp", reads what is there, asks, and finds the answer again', async () => {
  const { home, store, seeded, remove } = await seedHome();
  onTestFinished(remove);
  const connect = async (...flags: string[]) => {
    const client = new Client({ name: 'test', version: '1' });
    const args = [command, 'mcp', '--store', store, ...flags];
    const transport = new StdioClientTransport({
      command: process.execPath,
      args,
      cwd: home,
      env: { HOME: home },
      stderr: 'pipe',
    });
    await client.connect(transport);
    onTestFinished(() => client.close());
    return client;
  };
  const client = await connect('--write');
  const { contents } = await client.readResource({ uri: `skein://thread/${seeded.thread}` });
  expect(JSON.stringify(contents)).toContain('A length of yarn.');
  const asked = await client.callTool({
    name: 'ask',
    arguments: { question: 'And of wool?', conversation: seeded.thread },
  });
  const { text, conversation } = asked.structuredContent as { text: string; conversation: string };
  expect(text).not.toBe('');
  expect(conversation).toBe(`skein://thread/${seeded.thread}`);
  const reader = await connect();
  const read = await reader.callTool({ name: 'read_conversation', arguments: { conversation } });
  expect(JSON.stringify(read.content)).toContain('And of wool?');
  expect((await reader.listTools()).tools.map(({ name }) => name)).not.toContain('ask');
});
