import { isSkeinError } from '@skein/core';
import { SyncError } from './sync-error.ts';
import { SYNC_VERSION, type SyncPeer } from './sync-peer.ts';

/** One call of a peer as JSON. Each call has the version, so that an older peer refuses it before anything is written. */
export interface SyncCall {
  readonly version: number;
  readonly call: keyof SyncPeer;
  readonly list?: readonly unknown[];
}

/**
 * A peer at the other end of a connection.
 *
 * @example
 * const there = remotePeer(async (call) => (await fetch(address, { method: 'POST', body: JSON.stringify(call) })).json());
 */
export function remotePeer(send: (call: SyncCall) => Promise<unknown>): SyncPeer {
  const ask = async (call: keyof SyncPeer, list?: readonly unknown[]) => {
    const answer = await send({ version: SYNC_VERSION, call, ...(list && { list }) });
    return (answer as { result?: unknown } | null)?.result;
  };
  const askList = async (call: keyof SyncPeer, list: readonly unknown[]) => {
    const result = await ask(call, list);
    if (!Array.isArray(result)) throw wrongAnswer(call);
    return result;
  };
  return {
    version: async () => Number(await ask('version')),
    summaries: (prefixes) => askList('summaries', prefixes),
    items: (prefixes) => askList('items', prefixes),
    async read(ids) {
      const page = (await ask('read', ids)) as Awaited<ReturnType<SyncPeer['read']>> | null | undefined;
      if (!Array.isArray(page?.records) || typeof page.done !== 'number') throw wrongAnswer('read');
      return page;
    },
    write: async (records) => void (await ask('write', records)),
  };
}

function wrongAnswer(call: string): SyncError {
  return new SyncError('sync_refused', `The other side answered "${call}" with something else. Is it a forest?`);
}

/**
 * Answers a call that came over a connection. It throws a `SyncError` for whatever is no call of this version.
 *
 * @example
 * const answer = await answerSync(storePeer(store), await request.json());
 */
export async function answerSync(peer: SyncPeer, value: unknown): Promise<{ readonly result: unknown }> {
  const { version, call, list = [] } = (value ?? {}) as Partial<SyncCall>;
  if (version !== SYNC_VERSION)
    throw new SyncError(
      'sync_version',
      `This side speaks version ${SYNC_VERSION} of the sync protocol, and was asked in version ${String(version).slice(0, 20)}: update the older one. Nothing was written.`,
    );
  if (!Array.isArray(list) || list.length > MOST) throw new SyncError('sync_refused', 'The list of the call is wrong.');
  switch (call) {
    case 'version':
      return { result: await peer.version() };
    case 'summaries':
      return { result: await peer.summaries(texts(list, /^[0-9a-f]{0,3}$/)) };
    case 'items':
      return { result: await peer.items(texts(list, /^[0-9a-f]{0,4}$/)) };
    case 'read':
      return { result: await peer.read(texts(list, /^[0-9a-f]{32}$/)) };
    case 'write':
      if (list.some((one) => typeof one !== 'object' || one === null))
        throw new SyncError('sync_refused', 'The list of the call is wrong.');
      await peer.write(list);
      return { result: list.length };
    default:
      throw new SyncError('sync_refused', `"${String(call).slice(0, 40)}" is not a call of the sync protocol.`);
  }
}

const MOST = 10_000;

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
