import { isSkeinError } from '@skein/core';
import { sha256 } from '../model/ids.ts';
import { isInteger, isItems, isPage, isSummaries, isText, isTexts } from './answer-checks.ts';
import { ID, LONGEST_PREFIX } from './record-index.ts';
import type { SyncSelection } from './selection.ts';
import { SyncError } from './sync-error.ts';
import { SYNC_VERSION, type SyncPeer, type SyncRecord } from './sync-peer.ts';

/** One call of a peer as JSON. Each call has the version, so that an older peer refuses it before anything is written. */
export interface SyncCall {
  readonly version: number;
  readonly call: keyof SyncPeer;
  /** The name of the threads that the call is about, from the answer to `select`; absent: everything. */
  readonly selection?: string;
  readonly list?: readonly unknown[];
}

/**
 * A peer at the other end of a connection.
 *
 * @example
 * const there = remotePeer(async (call) => (await fetch(address, { method: 'POST', body: JSON.stringify(call) })).json());
 */
export function remotePeer(send: (call: SyncCall) => Promise<unknown>): SyncPeer {
  return createPeer(send, {});
}

function createPeer(send: (call: SyncCall) => Promise<unknown>, about: Pick<SyncCall, 'selection'>): SyncPeer {
  const ask = async <T>(
    call: keyof SyncPeer,
    isAnswer: (result: unknown) => result is T,
    list?: readonly unknown[],
  ) => {
    const answer = await send({ version: SYNC_VERSION, call, ...about, ...(list && { list }) });
    const result = (answer as { result?: unknown } | null)?.result;
    if (!isAnswer(result))
      throw new SyncError('sync_refused', `The other side answered "${call}" with something else. Is it a forest?`);
    return result;
  };
  return {
    version: () => ask('version', isInteger),
    threads: (selection) => ask('threads', isTexts, [selection]),
    select: async (threads) => createPeer(send, { selection: await ask('select', isText, threads) }),
    summaries: (prefixes) => ask('summaries', (result) => isSummaries(result, prefixes.length), prefixes),
    items: (prefixes) => ask('items', isItems, prefixes),
    read: (ids) => ask('read', isPage, ids),
    write: async (records) => void (await ask('write', isInteger, records)),
  };
}

/**
 * Answers a call that came over a connection. It throws a `SyncError` for whatever is no call of this version.
 *
 * @example
 * const answer = await answerSync(storePeer(store), await request.json());
 */
export async function answerSync(peer: SyncPeer, value: unknown): Promise<{ readonly result: unknown }> {
  const { version, call, selection, list = [] } = (value ?? {}) as Partial<SyncCall>;
  if (version !== SYNC_VERSION)
    throw new SyncError(
      'sync_version',
      `This side speaks version ${SYNC_VERSION} of the sync protocol, and was asked in version ${String(version).slice(0, 20)}: update the older one. Nothing was written.`,
    );
  if (!Array.isArray(list) || list.length > MOST) throw new SyncError('sync_refused', 'The list of the call is wrong.');
  if (selection !== undefined) return answerCall(selectedPeer(peer, selection), call, list);
  return answerCall(peer, call, list);
}

async function answerCall(peer: SyncPeer, call: unknown, list: readonly unknown[]): Promise<{ result: unknown }> {
  switch (call) {
    case 'version':
      return { result: await peer.version() };
    case 'threads':
      return { result: await peer.threads(readSelection(list[0])) };
    case 'select':
      return { result: await keepSelection(peer, texts(list, /^[\w.:-]{1,200}$/)) };
    case 'summaries':
      return { result: await peer.summaries(texts(list, PREFIX)) };
    case 'items':
      return { result: await peer.items(texts(list, PREFIX)) };
    case 'read':
      return { result: await peer.read(texts(list, ID)) };
    case 'write':
      if (list.some((one) => typeof one !== 'object' || one === null))
        throw new SyncError('sync_refused', 'The list of the call is wrong.');
      await peer.write(list as SyncRecord[]);
      return { result: list.length };
    default:
      throw new SyncError('sync_refused', `"${String(call).slice(0, 40)}" is not a call of the sync protocol.`);
  }
}

const MOST = 100_000;
const PREFIX = new RegExp(`^[0-9a-f]{0,${LONGEST_PREFIX}}$`);

/** Calls do not share a connection over HTTP, so a selection is kept by name. The one that was used longest ago goes first. */
const selections = new WeakMap<SyncPeer, Map<string, SyncPeer>>();
const MOST_SELECTIONS = 8;

async function keepSelection(peer: SyncPeer, threads: readonly string[]): Promise<string> {
  const name = sha256([...threads].sort().join('\n')).slice(0, 32);
  const kept = selections.get(peer) ?? new Map<string, SyncPeer>();
  selections.set(peer, kept);
  const there = kept.get(name) ?? (await peer.select(threads));
  kept.delete(name);
  kept.set(name, there);
  for (const oldest of kept.keys()) {
    if (kept.size <= MOST_SELECTIONS) break;
    kept.delete(oldest);
  }
  return name;
}

function selectedPeer(peer: SyncPeer, name: unknown): SyncPeer {
  const found = selections.get(peer)?.get(String(name));
  if (!found) throw new SyncError('sync_refused', 'The selection is not known any more. Start the sync again.');
  return found;
}

function readSelection(value: unknown): SyncSelection {
  const { tag, since, until } = (value ?? {}) as Record<string, unknown>;
  const isTime = (time: unknown) => time === undefined || typeof time === 'number';
  if ((tag !== undefined && typeof tag !== 'string') || !isTime(since) || !isTime(until))
    throw new SyncError('sync_refused', 'The selection of the call is wrong.');
  return {
    ...(typeof tag === 'string' && { tag }),
    ...(typeof since === 'number' && { since }),
    ...(typeof until === 'number' && { until }),
  };
}

function texts(list: readonly unknown[], pattern: RegExp): string[] {
  return list.map((one) => {
    if (typeof one !== 'string' || !pattern.test(one))
      throw new SyncError('sync_refused', 'The list of the call is wrong.');
    return one;
  });
}

/**
 * Answers the calls in lines of JSON until they end, as `skein sync --stdio` does.
 *
 * @example
 * for await (const line of answerLines(storePeer(store), lines)) process.stdout.write(line);
 */
export async function* answerLines(peer: SyncPeer, lines: AsyncIterable<string>): AsyncGenerator<string> {
  for await (const line of lines) {
    if (line.trim() === '') continue;
    try {
      yield `${JSON.stringify(await answerSync(peer, JSON.parse(line)))}\n`;
    } catch (error) {
      const code = isSkeinError(error) ? error.code : 'failed';
      yield `${JSON.stringify({ error: { code, message: (error as Error).message } })}\n`;
    }
  }
}
