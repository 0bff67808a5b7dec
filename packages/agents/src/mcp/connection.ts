import type { Link, Offers } from './link.ts';

export interface ConnectionOptions {
  /** The name of the server in errors. */
  readonly name: string;
  readonly open: () => Promise<Link>;
  readonly callMs: number;
  /** The first and the longest wait before a restart; the wait doubles each time. */
  readonly backoffMs?: { readonly first: number; readonly longest: number };
  /** The limit for listing the tools, which shows after a request that took too long whether the server still answers. */
  readonly probeMs?: number;
  /** The clock; for tests. */
  readonly now?: () => number;
  readonly wait?: (ms: number, signal: AbortSignal) => Promise<void>;
}

export interface Connection {
  /** Sends one request. Waits for a server that is being started or restarted. */
  request(method: string, params: Readonly<Record<string, unknown>>, signal: AbortSignal): Promise<unknown>;
  /** What the server has beside tools, by its last start; nothing before. */
  offers(): Offers;
  /** The reason why there is no connection, while a restart waits; undefined otherwise. */
  resting(): string | undefined;
  close(): Promise<void>;
}

/** Keeps one server running: starts it on first use, and restarts it on the next use after it ended, with growing waits. */
export function connection(options: ConnectionOptions): Connection {
  const { name, open, callMs, backoffMs = { first: 250, longest: 30_000 }, probeMs = 5_000 } = options;
  const { now = Date.now, wait = sleep } = options;
  const closing = new AbortController();
  let link: Promise<Link> | undefined;
  let failures = 0;
  let notBefore = 0;
  let lastError = '';
  let offers: Offers = { prompts: false, resources: false };

  const failed = (error: unknown) => {
    lastError = errorMessage(error);
    failures++;
    notBefore = now() + Math.min(backoffMs.longest, backoffMs.first * 2 ** (failures - 1));
  };
  const start = async (): Promise<Link> => {
    await wait(Math.max(0, notBefore - now()), closing.signal);
    const opened = await open();
    if (closing.signal.aborted) await opened.close();
    closing.signal.throwIfAborted();
    offers = opened.offers;
    return opened;
  };
  const drop = (dropped: Promise<Link>, why: unknown) => {
    if (link !== dropped) return;
    link = undefined;
    failed(why);
    // It may hang without having ended.
    dropped.then((ended) => ended.close()).catch(() => {});
  };
  const connected = (): Promise<Link> => {
    closing.signal.throwIfAborted();
    if (link) return link;
    const starting = start();
    link = starting;
    starting.then(
      (started) => started.onClose(() => drop(starting, new Error('it ended'))),
      (error: unknown) => drop(starting, error),
    );
    return starting;
  };
  /** After a request that took too long: restarts a server that cannot list its tools either. */
  const probe = async (suspect: Promise<Link>, asked: Link) => {
    try {
      await asked.request('tools/list', {}, { signal: AbortSignal.timeout(probeMs), timeoutMs: probeMs });
    } catch (error) {
      if (asked.classifyFailure(error) !== 'answered') drop(suspect, new Error('it did not answer any more'));
    }
  };

  const request: Connection['request'] = async (method, params, signal) => {
    for (let isFirst = true; ; isFirst = false) {
      const used = connected();
      const ready = await abortable(used, signal).catch((error: unknown) => {
        throw signal.aborted
          ? error
          : new Error(`The MCP server "${name}" could not be started: ${errorMessage(error)}.`);
      });
      try {
        const result = await ready.request(method, params, { signal, timeoutMs: callMs });
        failures = 0;
        return result;
      } catch (error) {
        const failure = ready.classifyFailure(error);
        if (failure === 'answered') {
          failures = 0;
          throw new Error(errorMessage(error));
        }
        if (isTimeout(error) || signal.aborted) {
          void probe(used, ready);
          throw new Error(`The MCP server "${name}" did not answer in time. ${UNSURE}`);
        }
        drop(used, error);
        if (failure === 'lost' || !isFirst)
          throw new Error(
            `The MCP server "${name}" ended in the middle of the call. ${UNSURE} It is being started again.`,
          );
      }
    }
  };

  return {
    request,
    offers: () => offers,
    resting: () => (link === undefined && notBefore > now() ? lastError : undefined),
    close: async () => {
      closing.abort(new Error(`The MCP server "${name}" was closed.`));
      const last = await link?.catch(() => undefined);
      link = undefined;
      await last?.close().catch(() => {});
    },
  };
}

const UNSURE = 'It may or may not have had an effect.';

const isTimeout = (error: unknown) => error instanceof Error && 'code' in error && error.code === 'REQUEST_TIMEOUT';

function abortable<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}

async function sleep(ms: number, signal: AbortSignal): Promise<void> {
  if (ms === 0) return;
  let timer: NodeJS.Timeout | undefined;
  const waiting = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await abortable(waiting, signal).finally(() => clearTimeout(timer));
}

/** The text of an error. */
export function errorMessage(error: unknown): string {
  return error instanceof Error ? error.message || error.name : String(error);
}
