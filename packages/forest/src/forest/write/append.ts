import type { Message } from '@skein/core';
import { createTake, ROOT, type StoreRecord, type TakeRecord } from '../../model/index.ts';
import { type ForestContext, makeRef } from '../context.ts';
import { readHidingRefs } from '../read/hidden.ts';

import { type AppendPoint, makeNodeRecords } from './append-point.ts';
import { moveStragglers } from './reparent.ts';

/**
 * How messages came to be. What a model reported (usage, stop, request…) goes to the last assistant message of the
 * list alone; author and origin follow from each message.
 */
export type TakeFacts = Partial<Omit<TakeRecord, 'k' | 'id' | 'node'>>;

/** Writes messages below a place in one batch; gives the ids, in order. */
export async function appendMessages(
  context: ForestContext,
  place: AppendPoint,
  messages: readonly Message[],
  facts: TakeFacts = {},
  more: readonly StoreRecord[] = [],
): Promise<string[]> {
  const at = facts.at ?? context.clock.now();
  const answer = messages.findLastIndex(({ role }) => role === 'assistant');
  const records: StoreRecord[] = [...more];
  const ids: string[] = [];
  let here = place;
  for (const [index, message] of messages.entries()) {
    const { node, body, next } = makeNodeRecords(here, message, context.clock.siblingTime(here.id, at));
    records.push(
      body,
      node,
      createMessageTake(message, node.id, { ...(index === answer ? facts : selectSharedFacts(facts)), at }),
    );
    ids.push(node.id);
    here = next;
  }
  if (records.length === 0) return ids;
  await context.store.append(records);
  return followMovedParent(context, place.id, ids);
}

/** Writes messages beside each other below a place in one batch, each with its take; gives the ids, in order. */
export async function appendSiblings(
  context: ForestContext,
  place: AppendPoint,
  messages: readonly { readonly message: Message; readonly take: TakeFacts }[],
  more: readonly StoreRecord[] = [],
): Promise<string[]> {
  const at = context.clock.now();
  const ids: string[] = [];
  const records: StoreRecord[] = [...more];
  for (const { message, take } of messages) {
    const { node, body } = makeNodeRecords(place, message, context.clock.siblingTime(place.id, at));
    records.push(body, node, createMessageTake(message, node.id, { ...take, at }));
    ids.push(node.id);
  }
  await context.store.append(records);
  return followMovedParent(context, place.id, ids);
}

/**
 * Looked at after writing, so that a parent that another process moved meanwhile is noticed: what was appended follows
 * it. A parent or a message that was removed is back.
 */
async function followMovedParent(context: ForestContext, parent: string, ids: readonly string[]): Promise<string[]> {
  const refs = await readHidingRefs(
    context.store,
    [parent, ...ids].filter((id) => id !== ROOT),
  );
  if (refs.length === 0) return [...ids];
  const isMoved = refs.some(({ key, name }) => key === parent && name === 'moved');
  const hiding = refs.filter(({ key }) => key !== parent || !isMoved);
  await context.store.append(hiding.map(({ key, name }) => makeRef(context, 'node', key, name, false)));
  if (!isMoved) return [...ids];
  const moved = await moveStragglers(context, [parent]);
  return ids.map((id) => moved.get(id) ?? id);
}

/** What holds for every message of a list, not only for what a model answered. */
function selectSharedFacts({ via, generation, exchange, thread, extra, from }: TakeFacts): TakeFacts {
  return {
    ...(via && { via }),
    ...(generation && { generation }),
    ...(exchange && { exchange }),
    ...(thread && { thread }),
    ...(extra && { extra }),
    ...(from && { from }),
  };
}

/** A user's words are never recorded as a model's: the author follows from the message, not from what it came with. */
export function createMessageTake(
  message: Message,
  node: string,
  facts: TakeFacts & { readonly at: number },
): TakeRecord {
  return createTake({ via: 'append', origin: message.origin, ...facts, author: inferAuthor(message, facts), node });
}

function inferAuthor({ role, origin }: Message, { author }: TakeFacts): TakeRecord['author'] {
  if (role === 'tool') return 'tool';
  if (role === 'assistant') return author ?? (origin.dialect === 'blocks' ? 'person' : 'model');
  return author === 'model' || author === undefined ? 'person' : author;
}
