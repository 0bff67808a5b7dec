import { type RawBuilder, sql } from 'kysely';
import type { Client } from 'pg';
import { sha256 } from '../../model/ids.ts';
import type { StoreRecord } from '../../model/records.ts';
import type { Change, Changes } from '../store.ts';
import type { PostgresContext } from './context.ts';
import { type LanePositions, positionRows, readPositions, selectPositions } from './lanes.ts';
import { fromStored, readId } from './values.ts';

/** Readers that are further behind get `reset`. */
const MOST_CHANGES = 100_000;

/**
 * The cursor of a reader has the numbers of all lanes up to which it has read (lanes.ts). One number for all writers would
 * not do: a transaction with a smaller number may end later, and a reader that is past it would never see it.
 */
export async function changes({ db, own }: PostgresContext, after?: string): Promise<Changes> {
  const seen = after === undefined ? undefined : readCursor(after);
  const { rows } = await sql<Row>`
    with moved as (
      select lane.lane, coalesce(seen.n, 0) as after
      from skein_lane as lane left join ${positionRows(seen?.positions ?? new Map())} as seen (lane, n) on seen.lane = lane.lane
      where lane.project = ${own} and ${seen !== undefined} and lane.n > coalesce(seen.n, 0)
    )
    select ${selectPositions(own)} as positions,
      coalesce((select era from skein_era where project = ${own}), 0) as era, news.kind, news.key, news."of"
    from (values (1)) as one (row) left join (
      select * from (${sql.join(
        SOURCES.map((source) => selectNews(source, own)),
        sql` union all `,
      )}) as found
      order by seq limit ${MOST_CHANGES + 1}
    ) as news on true
    order by news.seq`.execute(db);
  const { positions, era } = rows[0]!;
  const next = `${era}/${positions}`;
  if (after === undefined) return { items: [], next, reset: false };
  const now = readPositions(positions)!;
  if (!seen || seen.era !== era || isAhead(seen.positions, now) || rows.length > MOST_CHANGES)
    return { items: [], next, reset: true };
  return { items: rows.flatMap(toChanges), next, reset: false };
}

/** A number from the future comes from another server, of which this database is a backup. */
function isAhead(seen: LanePositions, now: LanePositions): boolean {
  return [...seen].some(([lane, n]) => BigInt(n) > BigInt(now.get(lane) ?? 0));
}

/** What has changed; one row without a change if nothing has. */
type Row = { positions: string; era: number; of: string | null } & (
  | { kind: string; key: string }
  | { kind: null; key: null }
);

interface Source {
  readonly table: string;
  readonly kind: string;
  readonly key: string;
  readonly of: string;
}

/** The same text as `refKey` makes. */
const REF_KEY = `"on" || '/' || replace(replace(key, '%', '%25'), '/', '%2F') || '/' || name`;
/** The kind of a record of an unknown kind is in its text. */
const UNKNOWN = '?';

const SOURCES: readonly Source[] = [
  { table: 'skein_node', kind: "'node'", key: "encode(id, 'hex')", of: 'null' },
  { table: 'skein_take', kind: "'take'", key: "encode(id, 'hex')", of: "encode(node, 'hex')" },
  { table: 'skein_ref', kind: "'ref'", key: REF_KEY, of: 'null' },
  { table: 'skein_entry', kind: 'kind', key: 'id', of: '"of"' },
  { table: 'skein_other', kind: `'${UNKNOWN}'`, key: 'record', of: 'null' },
];

/** Rows of the lanes in which anything was written since; of a lane in which nothing was, no table is read. */
function selectNews({ table, kind, key, of }: Source, own: string): RawBuilder<unknown> {
  return sql`(
    select written.seq, written.kind, written.key, written."of" from moved cross join lateral (
      select seq, ${sql.raw(kind)} as kind, ${sql.raw(key)} as key, ${sql.raw(of)} as "of" from ${sql.table(table)}
      where project = ${own} and lane = moved.lane and n > moved.after
      order by n limit ${MOST_CHANGES + 1}) as written)`;
}

function toChanges({ kind, key, of }: Row): Change[] {
  if (kind === null) return [];
  const read = kind === 'node' || kind === 'take' ? readId : fromStored;
  const change = { kind: (kind === UNKNOWN ? readKind(key) : kind) as StoreRecord['k'], key: read(key) };
  return [of === null ? change : { ...change, of: read(of) }];
}

function readKind(record: string): unknown {
  return (JSON.parse(record) as { readonly k?: unknown }).k;
}

function readCursor(text: string): { era: number; positions: LanePositions } | undefined {
  const match = /^(\d{1,9})\/([\d:,]*)$/.exec(text);
  if (match === null) return undefined;
  const positions = readPositions(match[2]!);
  return positions && { era: Number(match[1]), positions };
}

const POLL_MS = 1_000;
/** How long a notification waits for more writes, and how long after the last one it is sent at the earliest. */
const NOTIFY_DELAY_MS = 10;
const NOTIFY_AGAIN_MS = 50;

interface ChangeSignal {
  /** Call it after a write: listeners of this process are called at once, those of others soon. */
  tell(): void;
  watch(listener: () => void): () => void;
  end(): Promise<void>;
}

/**
 * NOTIFY only wakes readers. It is sent after the commit, several at a time, in a transaction that does not wait for
 * the disk; inside an append it would serialise all appends of the server. A lost one only delays readers until their
 * next poll. `makeClient` makes a connection that is not open yet.
 */
export function createChangeSignal(context: PostgresContext, makeClient: () => Client, writer: string): ChangeSignal {
  const { db, project } = context;
  const channel = `skein_${sha256(project).slice(0, 40)}`;
  const listeners = new Set<() => void>();
  let ending = false;
  let scheduled: NodeJS.Timeout | undefined;
  let sending: Promise<unknown> = Promise.resolve();
  let sent = Number.NEGATIVE_INFINITY;
  let stop: (() => Promise<void>) | undefined;

  const callAll = () => {
    for (const listener of [...listeners]) listener();
  };
  const send = () => {
    scheduled = undefined;
    sent = performance.now();
    sending = sql`select set_config('synchronous_commit', 'off', true), pg_notify(${channel}, ${writer})`
      .execute(db)
      .catch(() => undefined);
  };

  function start(): () => Promise<void> {
    const ear = listen(makeClient, channel, (said) => {
      if (said !== writer) callAll();
    });
    let looking: Promise<void> | undefined;
    let seen: string | undefined;
    const look = async () => {
      const found = await changes(context, seen);
      // The first look only sets the cursor; listeners are called to read what came before it.
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
    const timer = setInterval(lookOnce, POLL_MS).unref();
    return async () => {
      clearInterval(timer);
      await Promise.all([ear.end(), looking]);
    };
  }

  return {
    tell() {
      callAll();
      if (ending) return;
      const wait = Math.max(NOTIFY_DELAY_MS, sent + NOTIFY_AGAIN_MS - performance.now());
      scheduled ??= setTimeout(send, wait).unref();
    },
    watch(listener) {
      // Each call adds a listener, even for the same function.
      const own = () => listener();
      listeners.add(own);
      if (!ending) stop ??= start();
      return () => {
        listeners.delete(own);
      };
    },
    async end() {
      ending = true;
      if (scheduled) {
        clearTimeout(scheduled);
        send();
      }
      await Promise.all([sending, stop?.()]);
      listeners.clear();
    },
  };
}

const FIRST_WAIT_MS = 200;
const LONGEST_WAIT_MS = 10_000;

/** A connection that only listens; if it breaks, another one is opened. */
function listen(makeClient: () => Client, channel: string, hear: (payload?: string) => void): { end(): Promise<void> } {
  let client: Client | undefined;
  let timer: NodeJS.Timeout | undefined;
  let wait = FIRST_WAIT_MS;

  const again = (broken: Client) => {
    if (client !== broken) return;
    client = undefined;
    broken.end().catch(() => undefined);
    timer = setTimeout(start, wait).unref();
    wait = Math.min(wait * 2, LONGEST_WAIT_MS);
  };
  const start = () => {
    const fresh = makeClient();
    client = fresh;
    fresh.on('error', () => again(fresh));
    fresh.on('end', () => again(fresh));
    fresh.on('notification', ({ payload }) => hear(payload));
    fresh
      .connect()
      .then(() => fresh.query(`listen ${channel}`))
      .then(() => {
        wait = FIRST_WAIT_MS;
        // Notifications are not repeated, so some may have been missed.
        hear();
      })
      .catch(() => again(fresh));
  };
  start();

  return {
    async end() {
      clearTimeout(timer);
      const last = client;
      client = undefined;
      await last?.end().catch(() => undefined);
    },
  };
}
