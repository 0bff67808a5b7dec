import type { Kysely } from 'kysely';
import type { Problem } from '../store.ts';
import type { Tables } from './schema.ts';
import { toStored } from './text.ts';

/** What every operation of one store works with. */
export interface Context {
  readonly db: Kysely<Tables>;
  readonly project: string;
  /** The project as its rows have it. */
  readonly own: string;
  readonly problems: Map<string, Problem>;
}

export function contextOf(db: Kysely<Tables>, project: string): Context {
  return { db, project, own: toStored(project), problems: new Map() };
}

/** Rows as records. A row that cannot be read is left out, reported, and stays as it is. */
export function readRows<Row, T>(
  { problems }: Pick<Context, 'problems'>,
  rows: readonly Row[],
  read: (row: Row) => T,
  where: (row: Row) => string,
  code: Problem['code'] = 'damaged-record',
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
