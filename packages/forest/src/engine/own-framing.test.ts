import { defineProvider, provider, user } from '@skein/core';
import { beforeAll, expect, test } from 'vitest';
import { createForest } from '../forest/index.ts';
import { ROOT } from '../model/ids.ts';
import { TOY_LINES, toyLines, toyLinesProvider } from '../model/test-toy-lines.ts';
import { memoryStore } from '../store/index.ts';
import { ReplyLog, recoverBranch } from './partial-reply.ts';

beforeAll(() => void defineProvider(toyLinesProvider()));

/** Streams an answer through the log of a branch, as a process does that dies before the reply becomes a message. */
async function streamAndDie(text: string) {
  const forest = createForest(memoryStore());
  const node = await forest.append(ROOT, [user('Hi')]);
  const log = new ReplyLog(forest.store, forest.clock, 'g/0');
  const { dialect, issuer } = provider(TOY_LINES);
  log.setTarget({ provider: TOY_LINES, model: 'm', dialect, issuer });
  const answer = async () => new Response(text, { headers: { 'content-type': 'application/jsonl' } });
  const response = await log.wrap(answer)('https://lines.example/say', {});
  expect(await response.text()).toBe(text);
  await expect.poll(async () => (await forest.store.entries('event', { of: 'g/0/wire' })).items.length).toBe(1);
  const head = await recoverBranch(forest, { id: 'g' }, 0, node);
  return { node, head, replies: (await forest.children(node)).items };
}

test('a cut reply in a framing of its own becomes a node, and the branch goes on beside it', async () => {
  const { node, head, replies } = await streamAndDie(toyLines(['Hel', 'lo'], false));
  expect(replies.map(({ message }) => [message.text, message.origin.cut])).toEqual([['Hello', true]]);
  expect(head).toBe(node);
});

test('a whole reply in a framing of its own becomes a node, and the branch goes on below it', async () => {
  const { head, replies } = await streamAndDie(toyLines(['Hel', 'lo']));
  expect(replies.map(({ id, message }) => [id, message.text])).toEqual([[head, 'Hello']]);
});
