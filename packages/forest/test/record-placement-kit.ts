/** Builds chat exchanges, places them, and reads which thread each one belongs to. */
import { memoryStore, reproject, type Store } from '@skein/forest';
import type { Hints } from '../src/record/hints.ts';
import { type Recorded, recordsOf } from './record-exchanges.ts';
import { newForest } from './record-kit.ts';

export type Turn = { role: string; content?: unknown; tool_calls?: unknown; tool_call_id?: string };
export const user = (content: string): Turn => ({ role: 'user', content });
export const assistant = (content: string): Turn => ({ role: 'assistant', content });
export const system = (content: string): Turn => ({ role: 'system', content });
export const LONG = 'This answer is so long that nobody would say it twice by chance, not even at temperature zero.';

let count = 0;
export const chat = (start: number, messages: Turn[], answer: Turn, more: Partial<Recorded> = {}): Recorded => ({
  id: `x${String(count++).padStart(4, '0')}`,
  start,
  dialect: 'openai-chat',
  request: JSON.stringify({ model: 'm', messages }),
  response: JSON.stringify({ id: 'c', model: 'm', choices: [{ index: 0, message: answer }] }),
  ...more,
});
export const calls = (id: string): Turn =>
  ({
    role: 'assistant',
    content: null,
    tool_calls: [{ id, type: 'function', function: { name: 'look', arguments: '{}' } }],
  }) as Turn;
export const result = (id: string): Turn => ({ role: 'tool', tool_call_id: id, content: 'found' });
export const cutStream = (text: string) =>
  `data: ${JSON.stringify({ id: 'c', choices: [{ index: 0, delta: { role: 'assistant', content: text } }] })}\n\n`;

export async function place(exchanges: readonly Recorded[], store: Store = memoryStore()) {
  for (const one of exchanges) await store.append(recordsOf(one));
  const forest = newForest(store);
  await reproject(forest);
  const { items } = await store.refs({ on: 'forest', names: ['landed'], limit: 10_000 });
  const placements = new Map(items.map(({ key, value }) => [key, value as Record<string, unknown>]));
  const of = exchanges.map(({ id }) => placements.get(id)!);
  const threads = of.map(({ thread }) => thread as string);
  const words = async (thread: string) =>
    (await forest.path((await forest.threads.get(thread)).head)).map(({ message }) => message.text);
  return { forest, of, threads, words };
}

export const person = (name: string): Hints => ({ person: { user: name } });
export const session = (name: string): Hints => ({ session: { 'x-session-id': name }, group: name });
