import type { Message } from '@skein/core';
import { createTake, nodeId, ROOT } from '../../model/ids.ts';
import type { StoreRecord, TakeRecord } from '../../model/records.ts';
import { type ForestContext, makeRef } from '../context.ts';
import { readHidingRefs } from '../read/hidden.ts';
import { resolveId } from '../read/resolve.ts';
import { type AppendPoint, makeNodeRecords, readAppendPoint } from './append-point.ts';
import { moveStragglers } from './reparent.ts';

/**
 * How messages were made. What a model reported (usage, stop, request…) applies only to the last assistant message of the
 * list; author and origin come from each message.
 */
export type TakeFacts = Partial<Omit<TakeRecord, 'k' | 'id' | 'node'>>;

/** Appends a chain of messages in one batch and returns their ids in order. */
export async function appendMessages(
  context: ForestContext,
  point: AppendPoint,
  messages: readonly Message[],
  facts: TakeFacts = {},
  more: readonly StoreRecord[] = [],
): Promise<string[]> {
  const at = facts.at ?? context.clock.now();
  const answer = messages.findLastIndex(({ role }) => role === 'assistant');
  const records: StoreRecord[] = [...more];
  const ids: string[] = [];
  let here = point;
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
  return followMovedParent(context, point.id, ids);
}

/** Appends a message below a node and returns its id. If it is there already, the node gets no further take. */
export async function appendOnce(
  context: ForestContext,
  parent: string,
  message: Message,
  facts: TakeFacts = {},
): Promise<string> {
  const id = nodeId(parent, message.origin.dialect, message.facts.digest);
  const [there] = await context.store.nodes([id]);
  if (there) return resolveId(context.store, id);
  const [added] = await appendMessages(context, await readAppendPoint(context.store, parent), [message], facts);
  return added!;
}

/** Appends messages as siblings in one batch, each with its take, and returns their ids in order. */
export async function appendSiblings(
  context: ForestContext,
  point: AppendPoint,
  messages: readonly { readonly message: Message; readonly take: TakeFacts }[],
  more: readonly StoreRecord[] = [],
): Promise<string[]> {
  const at = context.clock.now();
  const ids: string[] = [];
  const records: StoreRecord[] = [...more];
  for (const { message, take } of messages) {
    const { node, body } = makeNodeRecords(point, message, context.clock.siblingTime(point.id, at));
    records.push(body, node, createMessageTake(message, node.id, { ...take, at }));
    ids.push(node.id);
  }
  await context.store.append(records);
  return followMovedParent(context, point.id, ids);
}

/**
 * Runs after the write, to notice a parent that another process moved meanwhile: the appended nodes follow it. A parent or
 * a message that was removed is shown again. Returns the present ids.
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

/** The facts that hold for every message of a list, not only for the reply of a model. */
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

/** Makes the take of a message. Its author depends on the role, so that the words of a user are never recorded as a model's. */
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
