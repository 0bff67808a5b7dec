/** Servers that record into shared databases: how they start, die, are closed, and move with their project. */
import { createBacklog, createForest, recordFetch, storePeer, syncForests } from '@skein/forest';
import type { RecordingBacklog } from '../../src/record/backlog.ts';
import type { ProjectionLimits } from '../../src/record/projection/fact-base.ts';
import { sharedProjector } from '../../src/record/projection/projector.ts';
import type { FetchFunction, RecordFetch } from '../../src/record/record-fetch.ts';
import { createTestDisk, type TestDisk } from '../../src/store/file/test-disk.ts';
import type { Store } from '../../src/store/store.ts';
import { createSharedDatabase, type ProcessLife, type SharedDatabase, whileAlive } from './shared-database.ts';
import type { VirtualTime } from './virtual-time.ts';
import type { WriteLog } from './write-log.ts';

/** How many there are. */
export interface FleetSize {
  readonly servers: number;
  readonly projects: number;
  readonly databases: number;
}

export interface Project {
  readonly name: string;
  database: SharedDatabase;
  readonly servers: Server[];
}

export interface Server {
  readonly name: string;
  readonly project: Project;
  readonly disk: TestDisk;
  readonly aheadMs: number;
  /** Undefined while it is down. */
  process: ServerProcess | undefined;
}

export interface ServerProcess extends ProcessLife {
  readonly store: Store;
  readonly fetch: RecordFetch;
  readonly backlog: RecordingBacklog;
  readonly died: Promise<never>;
  die(): void;
  /** When it was killed; undefined if it was closed. */
  killedAt: number | undefined;
  /** How many requests it is answering. It takes no more when it is closing. */
  busy: number;
  isClosing: boolean;
}

export interface ServerFleet {
  readonly databases: readonly SharedDatabase[];
  readonly projects: readonly Project[];
  readonly servers: readonly Server[];
  /** What recorders reported. */
  readonly problems: readonly string[];
  /** How many processes were killed. */
  killed(): number;
  /** Starts a server's process, as soon as its database is there. */
  start(server: Server): Promise<void>;
  kill(server: Server): void;
  /** Closes a server as one that is told to end. */
  close(server: Server): Promise<void>;
  /** Closes and starts the servers of a project, one after the other. */
  restart(project: Project): Promise<void>;
  /** Moves a project to another database while it is used. */
  move(project: Project, to: SharedDatabase): Promise<void>;
}

interface FleetOptions {
  /** Sends the requests that the servers record. */
  readonly fetch: FetchFunction;
  readonly log: WriteLog;
  readonly limits: ProjectionLimits | undefined;
}

class ServerDied extends Error {}

/** How long a process that ends waits until what passed it is stored and placed. */
const CLOSING_MS = 5_000;

export function createFleet(time: VirtualTime, size: FleetSize, { fetch, log, limits }: FleetOptions): ServerFleet {
  const problems: string[] = [];
  let killed = 0;
  let copies = 0;
  const databases = Array.from({ length: size.databases }, (_, at) =>
    createSharedDatabase(`db${at}`, time, log.onWrite),
  );
  const projects = Array.from({ length: size.projects }, (_, at): Project => {
    return { name: `p${at}`, database: databases[at % databases.length]!, servers: [] };
  });
  const servers = Array.from({ length: size.servers }, (_, at): Server => {
    const project = projects[at % projects.length]!;
    // The clocks of two servers differ by less than the rules assume.
    const aheadMs = (time.random() - 0.5) * 4000;
    const server = { name: `s${at}`, project, disk: createTestDisk(), aheadMs, process: undefined };
    project.servers.push(server);
    return server;
  });

  const start = async (server: Server): Promise<void> => {
    const { project, disk, aheadMs, name } = server;
    while (project.database.state !== 'there') await time.sleep(5000);
    let fail: (error: Error) => void = () => undefined;
    const died = new Promise<never>((_, reject) => {
      fail = reject;
    });
    died.catch(() => undefined);
    const life: ProcessLife = { isDead: false };
    const { database } = project;
    const store = await database.connect(project.name, life, `${name}-${Math.round(time.elapsedMs())}`);
    const forest = createForest(store, { now: () => Date.now() + aheadMs });
    sharedProjector(forest, limits);
    const onError = (error: unknown) => void problems.push(`${name}: ${(error as Error).stack ?? error}`);
    const files = whileAlive(life, disk.files());
    const backlog = createBacklog(forest, { folder: waitingFolder(database), files, onError });
    const die = () => {
      life.isDead = true;
      disk.kill();
      // Its heartbeat ends; what it asks the database for is not heard.
      void store.close();
      fail(new ServerDied(name));
    };
    server.process = Object.assign(life, {
      ...{ store, backlog, died, die },
      fetch: recordFetch(forest, { fetch, onError, backlog }),
      ...{ killedAt: undefined, busy: 0, isClosing: false },
    });
  };
  const close = async (server: Server): Promise<void> => {
    const { process } = server;
    if (!process) return;
    process.isClosing = true;
    log.disturb(process.store.writer);
    while (process.busy > 0) await time.sleep(100);
    // As a server does it that is told to end.
    await Promise.race([process.fetch.settled(), time.sleep(CLOSING_MS)]);
    await process.backlog.close();
    await process.store.close();
    if (server.process !== process) return;
    server.process = undefined;
    process.die();
  };
  return {
    databases,
    projects,
    servers,
    problems,
    killed: () => killed,
    start,
    close,
    kill(server) {
      const { process } = server;
      if (!process) return;
      killed += 1;
      server.process = undefined;
      log.disturb(process.store.writer);
      process.killedAt = time.elapsedMs();
      process.die();
    },
    async restart(project) {
      for (const server of project.servers) {
        await close(server);
        if (!server.process) await start(server);
      }
    },
    /** As docs/postgres.md says it: copied, its servers restarted, copied again; what waited for the old address is moved. */
    async move(project, to) {
      const from = project.database;
      copies += 1;
      const source = from.project(project.name);
      const target = await to.connect(project.name, { isDead: false }, `copy-${copies}`);
      const copy = () => syncForests(storePeer(source), storePeer(target), { direction: 'push' });
      await copy();
      project.database = to;
      for (const server of project.servers) {
        await close(server);
        await moveWaiting(server, waitingFolder(from), waitingFolder(to));
        if (!server.process) await start(server);
      }
      await copy();
      await target.close();
    },
  };
}

const waitingFolder = ({ name }: SharedDatabase) => `/waiting-for-${name}`;

/** `skein serve` names folders with what waits for another address, and the operator moves them. */
async function moveWaiting({ disk }: Server, from: string, to: string): Promise<void> {
  const files = disk.files();
  for (const name of await files.list(from)) await files.rename(`${from}/${name}`, `${to}/${name}`);
}
