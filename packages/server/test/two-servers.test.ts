import { says } from '@skein/emulator';
import { createForest } from '@skein/forest';
import { expect, test } from 'vitest';
import { useDatabase } from '../../forest/test/postgres/use-database.ts';
import { question, startWorld } from './kit.ts';

const database = useDatabase();

test('a generation started on one server is followed on another of the same PostgreSQL, from any event on', async () => {
  const project = database.newProject();
  const one = await startWorld({ forest: createForest(await database.open(project)) });
  const two = await startWorld({ forest: createForest(await database.open(project)) });
  const { body: node } = await one.api('POST', '/nodes/root/messages', { messages: [question('Hello')] });
  const text = 'A long answer in several pieces, one after the other.';
  one.emulator.script('anthropic-messages', [says(text, { chunkDelay: 5 })]);
  const { body } = await one.api('POST', '/generations', { node: node.id, model: 'anthropic/claude-opus-5-5' });

  const elsewhere = await (await fetch(`${two.server.url}/api/v1/generations/${body.id}/events`)).text();
  expect(textOf(elsewhere)).toBe(text);
  expect(elsewhere).toContain('"status":"done"');
  const here = await (await fetch(`${one.server.url}/api/v1/generations/${body.id}/events`)).text();
  expect(here).toBe(elsewhere);
  const { body: children } = await two.api('GET', `/nodes/${node.id}/children`);
  expect(children.items).toMatchObject([{ content: [{ type: 'text', text }] }]);
});

test('what one server writes is told by the change feed of the other, and a generation can be stopped from there', async () => {
  const project = database.newProject();
  const one = await startWorld({ forest: createForest(await database.open(project)) });
  const two = await startWorld({ forest: createForest(await database.open(project)) });
  const leaving = new AbortController();
  const feed = await fetch(`${two.server.url}/api/v1/changes`, { signal: leaving.signal });
  const { body: node } = await one.api('POST', '/nodes/root/messages', { messages: [question('Hello')] });
  let told = '';
  for await (const chunk of feed.body!) {
    told += Buffer.from(chunk).toString();
    if (told.includes(node.id)) break;
  }
  leaving.abort();

  one.emulator.script('openai-chat', [says('Never heard in full.', { break: { after: { events: 2 }, how: 'hang' } })]);
  const { body } = await one.api('POST', '/generations', { node: node.id, model: 'openai-chat/gpt-5.5' });
  await two.api('POST', `/generations/${body.id}/stop`);
  await expect.poll(async () => (await two.api('GET', `/generations/${body.id}`)).body.status).toBe('aborted');
});

function textOf(events: string): string {
  return [...events.matchAll(/^data: (.*"type":"text".*)$/gm)].map(([, data]) => JSON.parse(data!).text).join('');
}
