import type { Message } from '@skein/core';
import { type Echo, extendEcho, type NodeRecord, nodeId, ROOT, sha256 } from '../../model/index.ts';
import type { IdChain, Store } from '../../store/index.ts';
import type { ForestContext } from '../context.ts';
import { makeUnremoveRefs, readHidingRefs } from '../read/hidden.ts';
import { followRedirect } from '../read/resolve.ts';

import { appendMessages, type TakeFacts } from './append.ts';
import { readAppendPoint } from './append-point.ts';

export interface Match {
  /** The root when nothing matches. */
  readonly node: string;
  /** How many of the messages lead there. */
  readonly matched: number;
  readonly by: 'exact' | 'echo';
}

export interface ObserveResult extends Match {
  /** Where the history ends now. */
  readonly head: string;
  readonly added: readonly string[];
  /** The history is known under another system text. */
  readonly otherSystem: boolean;
}

/** Where a history leads now: what was moved is found where it is. */
export async function matchHistory(store: Store, messages: readonly Message[]): Promise<Match> {
  const match = await matchAsWritten(store, messages);
  return { ...match, node: await followRedirect(store, match.node) };
}

/**
 * Where a history leads: the exact chain of ids first, then the echoes of what is left. N hashes and a few look-ups,
 * however many siblings there are.
 */
async function matchAsWritten(store: Store, messages: readonly Message[]): Promise<Match> {
  const ids = makeIdChain(ROOT, messages);
  const exact = await store.deepest(ids);
  const node = ids.at(exact) ?? ROOT;
  if (exact === messages.length - 1) return { node, matched: messages.length, by: 'exact' };

  const { echo, lead } = await readAppendPoint(store, node);
  const { echoes, start, systemEnd } = makeEchoes(echo, messages, exact + 1);
  const leadId = systemEnd === undefined ? lead : (ids.at(systemEnd - 1) ?? ROOT);
  const found = await store.byEcho(echoes, leadId);
  if (!found) return { node, matched: exact + 1, by: 'exact' };
  const isWhole = found.index === echoes.length - 1;
  const at = isWhole && endsWithOwnEcho(echoes, echo) ? await aboveSilent(store, found.node) : found.node;
  return { node: at.id, matched: start + found.index + 1, by: 'echo' };
}

async function aboveSilent(store: Store, node: NodeRecord): Promise<NodeRecord> {
  const [parent] = await store.nodes([node.parent]);
  return parent?.echo === node.echo ? aboveSilent(store, parent) : node;
}

/** Takes in a history that a client sent: only what is new is added, and a degraded copy never stands beside the full one. */
export async function observeHistory(
  context: ForestContext,
  messages: readonly Message[],
  take: TakeFacts = {},
): Promise<ObserveResult> {
  const match = await matchHistory(context.store, messages);
  const place = await readAppendPoint(context.store, match.node);
  const leading = messages.findIndex(({ role }) => role !== 'system');
  const otherSystem =
    match.by === 'echo' && leading >= 0 && !(await hasSameLead(context, messages.slice(0, leading), place.lead));
  await showPath(context, match.node);
  const added = await appendMessages(context, place, messages.slice(match.matched), { author: 'unknown', ...take });
  return { ...match, head: added.at(-1) ?? match.node, added, otherSystem };
}

/** A history that a client still goes on with is not removed. */
async function showPath(context: ForestContext, node: string): Promise<void> {
  const path = await context.store.path(node);
  const hiding = await readHidingRefs(
    context.store,
    path.map(({ id }) => id),
  );
  const refs = makeUnremoveRefs(context, hiding);
  if (refs.length > 0) await context.store.append(refs);
}

async function hasSameLead({ store }: ForestContext, system: readonly Message[], lead: string): Promise<boolean> {
  const path = lead === ROOT ? [] : await store.path(lead);
  return path.length === system.length && path.every(({ body }, index) => body === system[index]!.facts.digest);
}

/**
 * The ids of a history below a place, each made when it is first asked for. The texts are hashed here, by Node: asking for the facts
 * of a message would parse it, too.
 */
export function makeIdChain(place: string, messages: readonly Message[]): IdChain {
  const ids: string[] = [];
  return {
    length: messages.length,
    at(index) {
      for (let at = ids.length; at <= Math.min(index, messages.length - 1); at++) {
        const { origin, raw } = messages[at]!;
        ids.push(nodeId(ids.at(-1) ?? place, origin.dialect, sha256(raw)));
      }
      return ids[index];
    },
  };
}

/**
 * The echoes of the messages from an index on, but for those that only continue the leading system messages; where the
 * first of them stands, and where the system messages end, if they do so here.
 */
function makeEchoes(
  from: Echo,
  messages: readonly Message[],
  index: number,
): { readonly echoes: string[]; readonly start: number; readonly systemEnd: number | undefined } {
  const echoes: string[] = [];
  let echo = from;
  let systemEnd: number | undefined;
  for (let at = index; at < messages.length; at++) {
    const wasLeading = echo.leading;
    echo = extendEcho(echo, messages[at]!);
    if (wasLeading && !echo.leading) systemEnd = at;
    if (!echo.leading) echoes.push(echo.text);
  }
  return { echoes, start: messages.length - echoes.length, systemEnd };
}

/**
 * Whether the last message of a history leaves an echo of its own. Then what was said to it and leaves none, such as an
 * empty reply, is not part of the history, although its echo is the same: who asks again gets an answer beside it.
 */
export function endsWithOwnEcho(echoes: readonly string[], before: Echo): boolean {
  return echoes.at(-1) !== (echoes.at(-2) ?? before.text);
}
