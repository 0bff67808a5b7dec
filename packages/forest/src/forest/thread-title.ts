import type { Message } from '@skein/core';
import type { Store } from '../store/index.ts';
import { messageOf, unlessDamaged } from './read-nodes.ts';

/** Letters of a title that nobody gave. */
const LONGEST = 80;

/** What was first asked, as far as it fits into a list. */
export function titleOf(asked: string): string {
  const line = asked.trim().replace(/\s+/g, ' ');
  return line.length > LONGEST ? `${line.slice(0, LONGEST - 1).trimEnd()}…` : line;
}

/** The title of a conversation that ends at a node, made of its first question. */
export async function titleAt(store: Store, head: string): Promise<string> {
  for (const record of await store.path(head)) {
    if (record.facts.role !== 'user') continue;
    const [raw] = await store.bodies([record.body]);
    const message = unlessDamaged(() => messageOf(store, record, raw, []));
    const title = message ? titleOfMessage(message) : '';
    if (title !== '') return title;
  }
  return '';
}

/** The same of the message that asks. */
export function titleOfMessage({ content }: Message): string {
  return titleOf(content.map((block) => (block.type === 'text' ? block.text : '')).join(' '));
}

/** The first words of a conversation, whole: threads with equal ones are folded in lists. */
export function openingOf(messages: readonly Message[]): string {
  const first = messages.find(({ role, text }) => role === 'user' && text.trim() !== '');
  return first ? first.text.trim().replace(/\s+/g, ' ') : '';
}

/** The same of a conversation that ends at a node, whole: threads with equal ones are folded in lists. */
export async function openingAt(store: Store, head: string): Promise<string> {
  for (const record of await store.path(head)) {
    if (record.facts.role !== 'user') continue;
    const [raw] = await store.bodies([record.body]);
    const opening =
      unlessDamaged(() => messageOf(store, record, raw, []))
        ?.text.trim()
        .replace(/\s+/g, ' ') ?? '';
    if (opening !== '') return opening;
  }
  return '';
}
