import { sql } from 'kysely';
import type { PostgresContext } from './context.ts';
import { LEASE_MS } from './lease.ts';

/**
 * A lane numbers what one writer appends. An append increments the counter of its lane in its own transaction, and the
 * row of the counter stays locked until that transaction ends. So the numbers of a lane become visible in their order and
 * without gaps, whatever happens to a connection, and a reader that keeps one number for each lane skips nothing. Appends
 * in different lanes do not wait for each other.
 *
 * A project has as many lanes as it ever had writers at once: the lane of a writer that is gone is used by the next one.
 * A writer that only seemed to be gone finds that its lane has another owner, writes nothing, and takes another lane.
 */
export interface Lane {
  readonly lane: number;
  readonly owner: string;
}

/** The numbers of all lanes up to which somebody has read. */
export type LanePositions = ReadonlyMap<number, string>;

/** Rows from before there were lanes have this one. */
const BEFORE_LANES = 0;

/** The positions of all lanes of a project as a text, in the same state of the database as the rest of the statement. */
export function selectPositions(own: string) {
  return sql<string>`coalesce((
    select string_agg(lane || ':' || n, ',' order by lane) from skein_lane where project = ${own}), '')`;
}

/** Reads the text of `selectPositions`; undefined if it is none. */
export function readPositions(text: string): LanePositions | undefined {
  if (!/^(\d{1,9}:\d{1,18}(,\d{1,9}:\d{1,18})*)?$/.test(text)) return undefined;
  const pairs = text === '' ? [] : text.split(',').map((pair) => pair.split(':') as [string, string]);
  return new Map([[BEFORE_LANES, '0'], ...pairs.map(([lane, n]): [number, string] => [Number(lane), n])]);
}

/** Positions as rows of a statement, with the columns `lane` and `n`. */
export function positionRows(positions: LanePositions) {
  return sql`unnest(${[...positions.keys()]}::integer[], ${[...positions.values()]}::bigint[])`;
}

/** Takes a lane whose owner is gone, or makes one. */
export async function takeLane({ db, own }: PostgresContext, owner: string): Promise<Lane> {
  // A lane in which a transaction has not ended yet is locked. It is passed over, because that may take long.
  const { rows } = await sql<{ lane: number }>`
    update skein_lane set owner = ${owner} where project = ${own} and lane = (
      select free.lane from skein_lane as free
      where free.project = ${own} and not exists (
        select 1 from skein_writer as alive
        where alive.project = ${own} and alive.writer = free.owner
          and alive.beat > now() - ${LEASE_MS / 1000} * interval '1 second')
      order by free.lane limit 1 for update skip locked)
    returning lane`.execute(db);
  for (let lane = rows[0]?.lane; ; ) {
    if (lane !== undefined) return { lane, owner };
    // Of two writers that make the same lane at once, one makes the next.
    const made = await sql<{ lane: number }>`
      insert into skein_lane (project, lane, owner, n)
      select ${own}, coalesce(max(lane), ${BEFORE_LANES}) + 1, ${owner}, 0 from skein_lane where project = ${own}
      on conflict do nothing returning lane`.execute(db);
    lane = made.rows[0]?.lane;
  }
}

/** Leaves the lanes of a writer to others. */
export async function leaveLanes({ db, own }: PostgresContext, owner: string): Promise<void> {
  await sql`update skein_lane set owner = '' where project = ${own} and owner = ${owner}`.execute(db);
}
