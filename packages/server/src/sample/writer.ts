import type { Message } from '@skein/core';
import type { Forest, TakeFacts } from '@skein/forest';
import type { Answer } from './models.ts';

/** Writes a conversation minute by minute, from a moment on. */
export interface Writer {
  /** Below a node; gives the new one. */
  say(parent: string, message: Message, minute: number, facts?: TakeFacts): Promise<string>;
  answer(parent: string, answer: Answer, minute: number): Promise<string>;
  thread(id: string, title: string, head: string): Promise<string>;
}

const SAMPLE_TAG = 'sample';
const MINUTE = 60_000;

export async function createWriter(forest: Forest, start: number): Promise<Writer> {
  // The list is large, and only a forest that is new needs it.
  const { costOf } = await import('@skein/core/prices');
  const say: Writer['say'] = (parent, message, minute, facts = {}) =>
    forest.append(parent, [message], { via: 'import', at: start + minute * MINUTE, ...facts });
  return {
    say,
    answer(parent, { message, facts }, minute) {
      const { usage, provider = '', model = '' } = facts;
      const cost = usage && costOf(usage, provider, model, new Date(start)).total;
      return say(parent, message, minute, { ...facts, ...(cost !== undefined && { cost }) });
    },
    async thread(id, title, head) {
      await forest.threads.create({ id, title, head });
      await forest.threads.tag(id, { [SAMPLE_TAG]: true });
      return id;
    },
  };
}
