import type { Message } from '@skein/core';
import { ROOT } from '../model/index.ts';
import { appendAt } from './append.ts';
import type { Context } from './context.ts';
import { matchHistory } from './match.ts';
import { placeBelow } from './place.ts';
import { hidingRefs, unremoveRecords } from './removed.ts';
import type { Observed, TakeFacts } from './types.ts';

/** Takes in a history that a client sent: only what is new is added, and a degraded copy never stands beside the full one. */
export async function observeHistory(
  context: Context,
  messages: readonly Message[],
  take: TakeFacts = {},
): Promise<Observed> {
  const match = await matchHistory(context.store, messages);
  const place = await placeBelow(context.store, match.node);
  const leading = messages.findIndex(({ role }) => role !== 'system');
  const otherSystem =
    match.by === 'echo' && leading >= 0 && !(await hasSameLead(context, messages.slice(0, leading), place.lead));
  await showPath(context, match.node);
  const added = await appendAt(context, place, messages.slice(match.matched), { author: 'unknown', ...take });
  return { ...match, head: added.at(-1) ?? match.node, added, otherSystem };
}

/** A history that a client still goes on with is not removed. */
async function showPath(context: Context, node: string): Promise<void> {
  const path = await context.store.path(node);
  const hiding = await hidingRefs(
    context.store,
    path.map(({ id }) => id),
  );
  const refs = unremoveRecords(context, hiding);
  if (refs.length > 0) await context.store.append(refs);
}

async function hasSameLead({ store }: Context, system: readonly Message[], lead: string): Promise<boolean> {
  const path = lead === ROOT ? [] : await store.path(lead);
  return path.length === system.length && path.every(({ body }, index) => body === system[index]!.facts.digest);
}
