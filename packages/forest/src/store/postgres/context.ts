import { type Kysely, sql } from 'kysely';
import { type PagePosition, pageLimit, readCursor } from '../page.ts';
import type { Page, PageRequest, StoreProblem } from '../store.ts';
import type { PostgresTables } from './schema.ts';
import { toStored } from './values.ts';

/** What all operations of a store share. */
export interface PostgresContext {
  readonly db: Kysely<PostgresTables>;
  readonly project: string;
  /** The project as it is stored in rows. */
  readonly own: string;
  /** Whether the engine has the settings of PostgreSQL's planner. */
  readonly hasPlannerSettings: boolean;
  readonly problems: Map<string, StoreProblem>;
}

export async function createContext(db: Kysely<PostgresTables>, project: string): Promise<PostgresContext> {
  const { rows } = await sql<{ count: string }>`
    select count(*) as count from pg_settings where name in ('enable_bitmapscan', 'enable_sort')`.execute(db);
  const hasPlannerSettings = rows[0]!.count === '2';
  return { db, project, own: toStored(project), hasPlannerSettings, problems: new Map() };
}

/** Converts rows to records. A row that cannot be read is reported and left out. */
export function readRows<Row, T>(
  { problems }: Pick<PostgresContext, 'problems'>,
  rows: readonly Row[],
  read: (row: Row) => T,
  where: (row: Row) => string,
  code: StoreProblem['code'] = 'damaged-record',
): T[] {
  return rows.flatMap((row) => {
    try {
      return [read(row)];
    } catch (error) {
      const place = where(row);
      const message = `The row of ${place} cannot be read: ${(error as Error).message}`;
      problems.set(place, { code, where: place, message, subject: place.slice(place.indexOf(' ') + 1) });
      return [];
    }
  });
}

/** `like` is a position of the list. */
export function readPosition({ after }: PageRequest, like: PagePosition): PagePosition | undefined {
  return after === undefined ? undefined : readCursor(after, like);
}

/** Makes a page of rows, of which one more than the limit was read, to know whether there is a next page. */
export function toPageOfRows<Row, T>(
  rows: readonly Row[],
  request: PageRequest,
  read: (rows: readonly Row[]) => T[],
  placeIn: (row: Row) => PagePosition,
): Page<T> {
  const limit = pageLimit(request);
  if (rows.length <= limit) return { items: read(rows) };
  return { items: read(rows.slice(0, limit)), next: JSON.stringify(placeIn(rows[limit - 1]!)) };
}
