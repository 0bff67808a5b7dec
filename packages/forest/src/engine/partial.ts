import { appendBeside } from '../forest/append.ts';
import type { Context } from '../forest/context.ts';
import { placeBelow } from '../forest/place.ts';
import { resolveId } from '../forest/resolve.ts';
import { isMessage } from '../model/index.ts';
import { readHistory } from './history.ts';
import { besideEachOther } from './take-of-step.ts';
import type { GenerationState } from './types.ts';
import { lastReply, markKept } from './wire-log.ts';

/**
 * Where a branch goes on that ended early. What a reply had said when its process died becomes a node, once. A whole
 * reply is gone on from; beside one that was cut: no API takes up a half reply where it ended.
 */
export async function takeUp(
  context: Context,
  { id: generation, thread }: Pick<GenerationState, 'id' | 'thread'>,
  branch: number,
  stored: string,
): Promise<string> {
  const { store, clock } = context;
  const head = await aboveCut(context, await resolveId(store, stored));
  const key = `${generation}/${branch}`;
  const last = await lastReply(store, key);
  if (!last || !isMessage(last.reply)) return head;
  const { message, stop, usage } = last.reply;
  const { provider, model } = last.asked;
  const isCut = message.origin.cut === true;
  const take = {
    via: 'generate',
    author: 'model',
    generation,
    ...(thread !== undefined && { thread }),
    provider,
    model,
    stop,
    ...(usage && { usage, ...(isCut && { estimated: true }) }),
  } as const;
  const mark = markKept(clock, key, last.name);
  const replies = besideEachOther(last.reply, take);
  const [node] = await appendBeside(context, await placeBelow(store, head), replies, [mark]);
  return isCut ? head : node!;
}

async function aboveCut({ store }: Context, head: string): Promise<string> {
  const { messages, path } = await readHistory(store, head);
  return messages.at(-1)?.origin.cut ? path.at(-1)!.parent : head;
}
