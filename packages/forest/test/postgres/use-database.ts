import { postgresStore, type Store } from '@skein/forest';
import { afterAll, afterEach, beforeAll } from 'vitest';
import { createDatabase, type Database } from './database.ts';

export interface Used {
  readonly database: Database;
  newProject(): string;
  /** A store that is closed when the test ends; on a project of its own unless one is named. */
  open(project?: string): Promise<Store>;
}

/** A database for the tests of one file. */
export function useDatabase(): Used {
  let database: Database | undefined;
  let projects = 0;
  const opened: Store[] = [];
  beforeAll(async () => {
    database = await createDatabase();
  });
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((store) => store.close()));
  });
  afterAll(() => database?.drop());
  const newProject = () => `project ${projects++}`;
  return {
    get database() {
      return database!;
    },
    newProject,
    async open(project = newProject()) {
      const store = await postgresStore(database!.url, { project });
      opened.push(store);
      return store;
    },
  };
}
