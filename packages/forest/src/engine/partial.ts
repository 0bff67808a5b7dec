import { appendAt } from '../forest/append.ts';
import type { Context } from '../forest/context.ts';
import { placeBelow } from '../forest/place.ts';
import { readHistory } from './history.ts';
import { isKept, lastReply } from './wire-log.ts';

/**
 * What a reply had said when its process died becomes a node of its own, marked as cut. The branch goes on beside it:
 * no API takes up a half reply where it ended.
 */
export async function keepPartial(context: Context, generation: string, branch: number, head: string): Promise<void> {
  const { store } = context;
  const last = await lastReply(store, `${generation}/${branch}`);
  if (!last) return;
  const { messages } = await readHistory(store, head);
  if (isKept(last.reply, messages)) return;
  const { message, stop, usage } = last.reply;
  await appendAt(context, await placeBelow(store, head), [message], {
    via: 'generate',
    author: 'model',
    generation,
    ...last.asked,
    stop,
    ...(usage && { usage, estimated: true }),
  });
}
