import { loadConfig } from '@skein/agents';
import { tool } from '@skein/core';
import { says, startEmulator } from '@skein/emulator';
import { createForest, memoryStore } from '@skein/forest';
import { chatRoute } from '@skein/forest/ai-sdk';
import { createServer } from '@skein/server';
import { client } from '@skein/server/client';
import { expect, onTestFinished, test } from 'vitest';
import type { ConversationSnapshot } from './conversation.ts';
import { httpTransport } from './http-transport.ts';
import { routeTransport } from './route-transport.ts';

const MODEL = 'anthropic/claude-opus-5-5';

async function startServer() {
  const emulator = await startEmulator({ seed: 'test', sleep: async () => {} });
  onTestFinished(() => emulator.close());
  const drop = tool({ name: 'drop', needsApproval: true, execute: () => 'dropped' });
  const { config } = await loadConfig({ cwd: '/', env: {}, home: '/nonexistent' });
  const forest = createForest(memoryStore());
  const server = await createServer({ forest, config, env: emulator.env(), tools: [drop] }).listen({ port: 0 });
  onTestFinished(() => server.close());
  return { emulator, url: server.url, api: client(server.url) };
}

function replaceFetch(replacement: typeof fetch): void {
  const before = globalThis.fetch;
  globalThis.fetch = replacement;
  onTestFinished(() => {
    globalThis.fetch = before;
  });
}

/** What a request created; the head only of a thread. */
async function begun(
  sent: Promise<{ json(): Promise<unknown> }>,
): Promise<{ readonly id: string; readonly head: string }> {
  return (await (await sent).json()) as { readonly id: string; readonly head: string };
}

async function lastOf(snapshots: AsyncIterable<ConversationSnapshot>): Promise<ConversationSnapshot | undefined> {
  let last: ConversationSnapshot | undefined;
  for await (const snapshot of snapshots) last = snapshot;
  return last;
}

/** Calls `then` once, when the first response that `match` names has been read by the server and not yet by the client. */
function betweenReadAndReceipt(match: (address: string) => boolean, then: () => Promise<void>): void {
  const before = globalThis.fetch;
  let isDone = false;
  replaceFetch(async (input, init) => {
    const response = await before(input, init);
    if (isDone || !match(String(input))) return response;
    isDone = true;
    await then();
    return response;
  });
}

test('an answer that begins to wait for approval while the conversation is read is shown', async () => {
  const { emulator, url, api } = await startServer();
  emulator.script('anthropic-messages', [{ blocks: [{ type: 'tool-use' as const, name: 'drop', input: {} }] }]);
  const messages = [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'Drop it' }] }];
  const thread = await begun(api.threads.$post({ json: { messages } }));
  betweenReadAndReceipt(
    (address) => address.includes(`/threads/${thread.id}/path`),
    async () => {
      const json = { model: MODEL, tools: ['drop'], thread: thread.id, node: thread.head };
      const param = { generation: (await begun(api.generations.$post({ json }))).id };
      await expect
        .poll(async () => await (await api.generations[':generation'].$get({ param })).json())
        .toMatchObject({ status: 'waiting' });
    },
  );
  const last = await lastOf(httpTransport({ url }).open(thread.id, undefined, new AbortController().signal));
  expect(last).toMatchObject({ status: 'waiting', pending: [{ name: 'drop' }] });
  expect(last?.messages.map(({ role }) => role)).toEqual(['user', 'assistant']);
});

test('an answer behind a route that ends while the conversation is read is shown', async () => {
  const emulator = await startEmulator({ seed: 'test', sleep: async () => {} });
  onTestFinished(() => emulator.close());
  let release: (() => void) | undefined;
  const wait = tool({
    name: 'wait',
    execute: () =>
      new Promise<string>((resolve) => {
        release = () => resolve('waited');
      }),
  });
  emulator.script('anthropic-messages', [
    { blocks: [{ type: 'tool-use' as const, name: 'wait', input: {} }] },
    says('I waited.'),
  ]);
  const route = chatRoute(createForest(memoryStore()), { model: MODEL, env: emulator.env(), tools: [wait] });
  const real = globalThis.fetch;
  replaceFetch(async (input, init) =>
    String(input).startsWith('http://route') ? route(new Request(input, init)) : real(input, init),
  );
  const asked = { id: 'u', role: 'user', parts: [{ type: 'text', text: 'Wait' }] };
  const answer = await fetch('http://route/', { method: 'POST', body: JSON.stringify({ id: 'c', messages: [asked] }) });
  await expect.poll(() => release).toBeDefined();
  betweenReadAndReceipt(
    (address) => address === 'http://route/c',
    async () => {
      release?.();
      await answer.text();
    },
  );
  const last = await lastOf(routeTransport({ url: 'http://route' }).open('c', undefined, new AbortController().signal));
  expect(JSON.stringify(last?.messages)).toContain('I waited.');
});
