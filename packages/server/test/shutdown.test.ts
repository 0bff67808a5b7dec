import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { says } from '@skein/emulator';
import { createForest, fileStore } from '@skein/forest';
import { afterEach, expect, test } from 'vitest';
import { question, startWorld } from './kit.ts';

const folders: string[] = [];
afterEach(async () => {
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true, force: true });
});

async function newFolder() {
  const folder = await mkdtemp(join(tmpdir(), 'skein-shutdown-'));
  folders.push(folder);
  return async () => createForest(await fileStore(folder));
}

interface Told {
  readonly id: string;
  readonly data: { readonly type: string; readonly text?: string; readonly status?: string };
}

function eventsIn(text: string): Told[] {
  return [...text.matchAll(/^id: (.*)\nevent: .*\ndata: (.*)$/gm)].map(([, id, data]) => ({
    id: id!,
    data: JSON.parse(data!),
  }));
}

const model = 'openai-chat/gpt-5.5';

test('a generation under way when the server ends is parked, told of, and goes on behind the last event after a restart', async () => {
  const open = await newFolder();
  const before = await startWorld({ forest: await open(), timeouts: { grace: 20 } });
  const { body: node } = await before.api('POST', '/nodes/root/messages', { messages: [question('Hello')] });
  const { body: thread } = await before.api('POST', '/threads', { head: node.id, title: 'Cut' });
  before.emulator.script('openai-chat', [
    says('Not to be heard in full.', { pieces: 6, break: { after: { events: 3 }, how: 'hang' } }),
  ]);
  const { body: generation } = await before.api('POST', '/generations', { node: node.id, model, thread: thread.id });
  const following = await fetch(`${before.server.url}/api/v1/generations/${generation.id}/events`);
  await expect.poll(() => before.emulator.log.length).toBe(1);
  await before.server.close();
  const told = eventsIn(await following.text());
  expect(told.at(-1)?.data).toMatchObject({ type: 'end', status: 'aborted' });
  await before.forest.close();

  const after = await startWorld({ forest: await open() });
  const { body: parked } = await after.api('GET', `/generations/${generation.id}`);
  expect(parked).toMatchObject({ status: 'aborted', thread: thread.id, endedAt: expect.any(Number) });
  after.emulator.script('openai-chat', [says('Heard in full.')]);
  expect((await after.api('POST', `/generations/${generation.id}/resume`, {})).status).toBe(202);
  const headers = { 'last-event-id': told.at(-1)!.id };
  const rest = await fetch(`${after.server.url}/api/v1/generations/${generation.id}/events`, { headers });
  const later = eventsIn(await rest.text());
  expect(later.every(({ id }) => id > told.at(-1)!.id)).toBe(true);
  expect(later.flatMap(({ data }) => (data.type === 'text' ? [data.text] : [])).join('')).toBe('Heard in full.');
  expect(later.at(-1)?.data).toMatchObject({ type: 'end', status: 'done' });
  const { body: state } = await after.api('GET', `/generations/${generation.id}`);
  const { body: moved } = await after.api('GET', `/threads/${thread.id}`);
  expect(moved.head).toBe(state.branches[0].head);
  await after.server.close();
  await after.forest.close();
});

test('a generation that ends in time is done, though the server was told to end before it', async () => {
  const open = await newFolder();
  let goOn = () => {};
  const gate = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  const slow = async (...request: Parameters<typeof fetch>) => gate.then(() => fetch(...request));
  const world = await startWorld({ forest: await open(), generate: { fetch: slow } });
  const { body: node } = await world.api('POST', '/nodes/root/messages', { messages: [question('Hello')] });
  world.emulator.script('openai-chat', [says('In time.')]);
  const { body: generation } = await world.api('POST', '/generations', { node: node.id, model });
  const closed = world.server.close();
  goOn();
  await closed;
  await world.forest.close();
  const again = await open();
  const { items } = await again.children(node.id);
  expect(items.map(({ message }) => message.text)).toEqual(['In time.']);
  expect(generation.status).toBe('running');
  await again.close();
});

test('an idle connection stays open for longer than clients use it, so that no request meets one that is closing', async () => {
  const world = await startWorld();
  const { headers } = await fetch(`${world.server.url}/api/v1/version`);
  expect(headers.get('keep-alive')).toBe('timeout=75');
});
