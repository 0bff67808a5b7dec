import { sql } from 'kysely';
import pg, { type Pool } from 'pg';
import { sha256 } from '../../model/index.ts';
import { changes } from './changes.ts';
import type { Context } from './context.ts';
import { listen } from './listen.ts';

const POLL_MS = 1_000;
const GATHER_MS = 10;

export interface Wake {
  /** After something was written: tells those here at once, and soon all others. */
  tell(): void;
  watch(listener: () => void): () => void;
  end(): Promise<void>;
}

/**
 * NOTIFY only wakes. It is sent after the commit, gathered, in a transaction of its own that does not wait for the
 * disk: inside an append it would make all appends of the server wait for each other. One that is lost costs no more
 * than the time until the next look.
 */
export function createWake(context: Context, pool: Pool, writer: string, pollMs = POLL_MS): Wake {
  const { db, project } = context;
  const channel = `skein_${sha256(project).slice(0, 40)}`;
  const listeners = new Set<() => void>();
  let ending = false;
  let gathering: NodeJS.Timeout | undefined;
  let sending: Promise<unknown> = Promise.resolve();
  let stop: (() => Promise<void>) | undefined;

  const callAll = () => {
    for (const listener of [...listeners]) listener();
  };
  const send = () => {
    gathering = undefined;
    sending = sql`select set_config('synchronous_commit', 'off', true), pg_notify(${channel}, ${writer})`
      .execute(db)
      .catch(() => undefined);
  };

  function start(): () => Promise<void> {
    const ear = listen(
      () => new pg.Client(pool.options as pg.ClientConfig),
      channel,
      (said) => {
        if (said !== writer) callAll();
      },
    );
    let looking: Promise<void> | undefined;
    let seen: string | undefined;
    const look = async () => {
      const found = await changes(context, seen);
      // The first look only says from where on: what came before it is for those who are called to read.
      const isFirst = seen === undefined;
      seen = found.next;
      if (isFirst || found.items.length > 0 || found.reset) callAll();
    };
    const lookOnce = () => {
      looking ??= look()
        .catch(() => undefined)
        .finally(() => {
          looking = undefined;
        });
    };
    lookOnce();
    const timer = setInterval(lookOnce, pollMs).unref();
    return async () => {
      clearInterval(timer);
      await Promise.all([ear.end(), looking]);
    };
  }

  return {
    tell() {
      callAll();
      if (ending) return;
      gathering ??= setTimeout(send, GATHER_MS).unref();
    },
    watch(listener) {
      // Each call counts for itself, also with a function that is there already.
      const own = () => listener();
      listeners.add(own);
      if (!ending) stop ??= start();
      return () => {
        listeners.delete(own);
      };
    },
    async end() {
      ending = true;
      if (gathering) {
        clearTimeout(gathering);
        send();
      }
      await Promise.all([sending, stop?.()]);
      listeners.clear();
    },
  };
}
