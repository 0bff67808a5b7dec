import type { Message } from '@skein/core';
import { type Echo, extendEcho } from '../../model/echo.ts';
import { nodeId, ROOT, sha256 } from '../../model/ids.ts';
import type { NodeRecord } from '../../model/records.ts';
import type { IdChain, Store } from '../../store/index.ts';
import type { ForestContext } from '../context.ts';
import { makeUnremoveRefs, readHidingRefs } from '../read/hidden.ts';
import { followRedirect } from '../read/resolve.ts';
import { appendMessages, type TakeFacts } from './append.ts';
import { readAppendPoint } from './append-point.ts';

/** The node that a history leads to. */
export interface Match {
  /** The root when nothing matches. */
  readonly node: string;
  /** How many messages of the history lead there. */
  readonly matched: number;
  readonly by: 'exact' | 'echo';
}

/** Where an observed history ends, and what was added for it. */
export interface ObserveResult extends Match {
  /** The node of the last message. */
  readonly head: string;
  readonly added: readonly string[];
  /** Whether the history was found below another system text. */
  readonly otherSystem: boolean;
}

/** Finds the deepest node that a history leads to, at its present place if it was moved. */
export async function matchHistory(store: Store, messages: readonly Message[]): Promise<Match> {
  const match = await matchAsWritten(store, messages);
  return { ...match, node: await followRedirect(store, match.node) };
}

/**
 * Follows the exact chain of ids first, then the echoes of the remaining messages. The cost is one hash for each message
 * and a few look-ups, independent of the number of siblings.
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

/** Adds the new messages of a history that a client sent. A degraded copy of a known message is never added beside it. */
export async function observeHistory(
  context: ForestContext,
  messages: readonly Message[],
  take: TakeFacts = {},
): Promise<ObserveResult> {
  const match = await matchHistory(context.store, messages);
  const point = await readAppendPoint(context.store, match.node);
  const leading = messages.findIndex(({ role }) => role !== 'system');
  const otherSystem =
    match.by === 'echo' && leading >= 0 && !(await hasSameLead(context, messages.slice(0, leading), point.lead));
  await showPath(context, match.node);
  const added = await appendMessages(context, point, messages.slice(match.matched), { author: 'unknown', ...take });
  return { ...match, head: added.at(-1) ?? match.node, added, otherSystem };
}

/** Shows the nodes of a path again: a client continues this history. */
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
 * The ids of a history below a node, each computed on first use. It hashes the raw texts, because `message.facts` would
 * also parse them.
 */
export function makeIdChain(point: string, messages: readonly Message[]): IdChain {
  const ids: string[] = [];
  return {
    length: messages.length,
    at(index) {
      for (let at = ids.length; at <= Math.min(index, messages.length - 1); at++) {
        const { origin, raw } = messages[at]!;
        ids.push(nodeId(ids.at(-1) ?? point, origin.dialect, sha256(raw)));
      }
      return ids[index];
    },
  };
}

/**
 * Computes the echoes of the messages from an index on, without those of leading system messages. `start` is the index of
 * the first echo; `systemEnd` is the end of the system messages, if they end in this range.
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
 * Whether the last message of a history changes the echo. If it does, a node below it that leaves the echo unchanged, such
 * as an empty reply, is not part of the history: a client that asks again gets a sibling of that reply.
 */
export function endsWithOwnEcho(echoes: readonly string[], before: Echo): boolean {
  return echoes.at(-1) !== (echoes.at(-2) ?? before.text);
}
