import { postgresStore } from '@skein/forest';
import { storeConformance } from '@skein/forest/testing';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { createDatabase, type Database } from './database.ts';

let database: Database;
beforeAll(async () => {
  database = await createDatabase();
});
afterAll(() => database.drop());

// All cases share one database: projects keep them apart.
let projects = 0;
const cases = storeConformance('postgres', async () => {
  const open = () => postgresStore(database.url, { project });
  const project = `case ${projects++}`;
  return { store: await open(), again: open };
});

describe('the PostgreSQL store', () => {
  test.each(cases)('$name', ({ run }) => run());
});
