import { postgresStore, type Store } from '@skein/forest';
import { afterAll, afterEach, beforeAll } from 'vitest';
import { connect } from '../../src/store/postgres/connect.ts';
import { createContext, type PostgresContext } from '../../src/store/postgres/context.ts';
import { createDatabase, type Database } from './database.ts';

export interface Used {
  readonly database: Database;
  newProject(): string;
  /** A store that is closed when the test ends; on a project of its own unless one is named. */
  open(project?: string): Promise<Store>;
  /** What the queries of such a store share, with connections of its own. */
  openContext(project?: string): Promise<PostgresContext>;
}

/** A database for the tests of one file. */
export function useDatabase(): Used {
  let database: Database | undefined;
  let projects = 0;
  const opened: { close(): Promise<void> }[] = [];
  beforeAll(async () => {
    database = await createDatabase();
  });
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((store) => store.close()));
  });
  afterAll(() => database?.drop());
  const newProject = () => `project ${projects++}`;
  const open = async (project = newProject()) => {
    const store = await postgresStore(database!.url, { project });
    opened.push(store);
    return store;
  };
  return {
    get database() {
      return database!;
    },
    newProject,
    open,
    async openContext(project = newProject()) {
      // A store makes the tables.
      await open(project);
      const { db, end } = connect(database!.url, 3);
      opened.push({ close: end });
      return createContext(db, project);
    },
  };
}
