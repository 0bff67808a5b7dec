import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { InMemoryTransport } from '@modelcontextprotocol/server';
import { assistant, system, user } from '@skein/core';
import { createForest, memoryStore } from '@skein/forest';
import { createMcpServer, createRedactor, listenForMcp } from '@skein/server';
import { expect, onTestFinished, test } from 'vitest';

async function forestWithTalks() {
  const forest = createForest(memoryStore());
  const oslo = await forest.threads.begin([
    system('Be brief.'),
    user('How is the weather in Oslo?'),
    assistant('It is cold in Oslo, sk-secret-1 degrees.'),
  ]);
  await forest.threads.begin([user('A skein of wool?'), assistant('Yarn that is wound loosely.')], { title: 'Wool' });
  return { forest, oslo };
}

type Content = readonly { readonly text: string }[];
const said = (result: unknown) => (result as { content: Content }).content[0]!.text;

test('the real client over HTTP searches, lists, reads, quotes, and reads resources; it cannot write, and secrets are hidden', async () => {
  const { forest, oslo } = await forestWithTalks();
  const redact = createRedactor({ patterns: ['sk-secret-\\d+'] });
  const listening = await listenForMcp({ forest, redact }, { port: 0, host: '127.0.0.1' });
  onTestFinished(() => listening.close());
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(new StreamableHTTPClientTransport(new URL(`${listening.url}/mcp`)));
  onTestFinished(() => client.close());
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toEqual([
    'search_conversations',
    'list_conversations',
    'read_conversation',
    'quote_message',
  ]);
  expect(tools.every(({ annotations }) => annotations?.readOnlyHint)).toBe(true);

  // The client checks structured results by the output schemas.
  const found = await client.callTool({ name: 'search_conversations', arguments: { words: 'cold osl' } });
  const { hits } = found.structuredContent as { hits: { message: string; conversation: string; title: string }[] };
  expect(hits).toMatchObject([{ role: 'assistant', conversation: `skein://thread/${oslo.id}` }]);
  const listed = await client.callTool({ name: 'list_conversations', arguments: {} });
  expect(said(listed)).toContain('"title":"Wool"');
  const read = said(
    await client.callTool({ name: 'read_conversation', arguments: { conversation: hits[0]!.conversation } }),
  );
  expect(read).toContain('How is the weather in Oslo?');
  expect(read).not.toContain('sk-secret');
  const quoted = said(await client.callTool({ name: 'quote_message', arguments: { message: hits[0]!.message } }));
  expect(quoted).toMatch(/^> It is cold in Oslo/);
  expect(quoted).toContain(hits[0]!.message);

  const { resources } = await client.listResources();
  expect(resources.map(({ name }) => name)).toContain('Wool');
  const { contents } = await client.readResource({ uri: `skein://thread/${oslo.id}` });
  expect(contents).toMatchObject([{ mimeType: 'text/markdown', text: expect.stringContaining('Oslo') }]);
  expect(JSON.stringify([found, listed, contents])).not.toContain('sk-secret');

  const missing = await client.callTool({ name: 'read_conversation', arguments: { conversation: 'nowhere' } });
  expect(missing.isError).toBe(true);
  expect(said(missing)).toContain('There is no thread nowhere');
  const forked = await client.callTool({ name: 'fork_conversation', arguments: { conversation: oslo.id } }).then(
    (result) => result.isError,
    () => true,
  );
  expect(forked).toBe(true);

  // A page from elsewhere must not read what is on this machine.
  const body = '{"jsonrpc":"2.0","id":1,"method":"tools/list"}';
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    origin: 'https://evil.example',
  };
  expect((await fetch(`${listening.url}/mcp`, { method: 'POST', headers, body })).status).toBe(403);
});

test('with writing, the client forks a conversation and asks in it; a long conversation is read in pages', async () => {
  const { forest, oslo } = await forestWithTalks();
  const long = await forest.threads.begin([user('x'.repeat(50_000))]);
  const server = createMcpServer({
    forest,
    writing: {
      async ask({ question, conversation }) {
        const thread = await forest.threads.append(conversation!, [user(question), assistant('Warm.')]);
        return { text: 'Warm.', message: thread.head, conversation: thread.id, model: 'none/none' };
      },
    },
  });
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  const client = new Client({ name: 'test', version: '1' });
  await Promise.all([server.connect(theirs), client.connect(ours)]);
  const fork = await client.callTool({
    name: 'fork_conversation',
    arguments: { conversation: oslo.id, title: 'Rome' },
  });
  const { conversation } = fork.structuredContent as { conversation: string };
  const asked = await client.callTool({ name: 'ask', arguments: { question: 'And Rome?', conversation } });
  expect(asked.structuredContent).toMatchObject({ text: 'Warm.', conversation });
  expect((await forest.path((await forest.threads.get(oslo.id)).head)).length).toBe(3);
  const first = said(await client.callTool({ name: 'read_conversation', arguments: { conversation: long.id } }));
  expect(first).toContain('continue with from: 40000');
  const rest = said(
    await client.callTool({ name: 'read_conversation', arguments: { conversation: long.id, from: 40_000 } }),
  );
  expect(rest).not.toContain('continue with');
});
