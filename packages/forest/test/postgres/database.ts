import { randomUUID } from 'node:crypto';
import pg from 'pg';

export interface Database {
  readonly url: string;
  /** With nothing of ours between it and the server. */
  query(text: string, values?: readonly unknown[]): Promise<Record<string, unknown>[]>;
  drop(): Promise<void>;
}

/** A new database on the server of this run of the tests, or on that of `DATABASE_URL`. */
export async function createDatabase(server?: string): Promise<Database> {
  const address = server ?? process.env.DATABASE_URL ?? (await serverOfThisRun());
  const name = `skein_test_${randomUUID().replaceAll('-', '')}`;
  await once(address, `create database ${name}`);
  const url = Object.assign(new URL(address), { pathname: `/${name}` }).href;
  const pool = new pg.Pool({ connectionString: url, max: 2 });
  pool.on('error', () => undefined);
  return {
    url,
    query: async (text, values = []) => (await pool.query(text, [...values])).rows,
    async drop() {
      await pool.end();
      await once(address, `drop database ${name} with (force)`);
    },
  };
}

async function serverOfThisRun(): Promise<string> {
  const response = await fetch(process.env.SKEIN_TEST_POSTGRES ?? '');
  if (!response.ok) throw new Error(`No PostgreSQL for the tests: ${await response.text()}`);
  return response.text();
}

async function once(address: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: address });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
