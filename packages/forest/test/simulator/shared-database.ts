/** A database that many servers share. It is slow, may be away, and knows by their heartbeats which of them are alive. */
import { memoryStore, type Store, StoreError } from '@skein/forest';
import { overlayStore } from '@skein/forest/store';
import type { StoreRecord } from '../../src/model/records.ts';
import { holdLease, type LeaseTable } from '../../src/store/postgres/lease.ts';
import { repeatWhileUnreachable } from '../../src/store/postgres/open.ts';
import { memoryFacts } from '../memory-facts.ts';
import type { VirtualTime } from './virtual-time.ts';

export interface SharedDatabase {
  readonly name: string;
  state: 'there' | 'refusing' | 'silent';
  /** What is on its disk of a project. */
  project(name: string): Store;
  /** The store of one process. After the process has died, nothing that it asks for is answered. */
  connect(project: string, process: ProcessLife, writer: string): Promise<Store>;
  /** How many operations were carried out, heartbeats left out. */
  operations(): number;
}

export interface ProcessLife {
  isDead: boolean;
}

/** Hears of every batch that is written. */
export type WriteListener = (database: string, project: string, records: readonly StoreRecord[]) => void;

/** How long PostgreSQL's store repeats an operation, and how long it waits for a connection that is not answered. */
const PATIENCE_MS = 60_000;
const SILENCE_MS = 10_000;
const MOST_LATENCY_MS = 3;

export function createSharedDatabase(name: string, time: VirtualTime, onWrite: WriteListener): SharedDatabase {
  const projects = new Map<string, { readonly store: Store; readonly beats: Map<string, number> }>();
  let operations = 0;
  const open = (project: string) => {
    const there = projects.get(project);
    if (there) return there;
    const made = { store: overlayStore(memoryStore(), { facts: memoryFacts() }), beats: new Map<string, number>() };
    projects.set(project, made);
    return made;
  };
  const reach = async () => {
    await time.sleep(time.random() * MOST_LATENCY_MS);
    if (database.state === 'silent') await time.sleep(SILENCE_MS);
    if (database.state !== 'there') throw new StoreError('store_unreachable', 'The database cannot be reached.');
  };
  /** What was carried out may be answered by nobody. */
  const over = async <T>(operation: () => Promise<T>): Promise<T> => {
    await reach();
    const result = await operation();
    await reach();
    return result;
  };

  const database: SharedDatabase = {
    name,
    state: 'there',
    project: (project) => open(project).store,
    operations: () => operations,
    async connect(project, process, writer) {
      const { store, beats } = open(project);
      const facts = store.facts!;
      const table: LeaseTable = {
        beat: async () => void beats.set(writer, Date.now()),
        hasBeat: async (other, seconds) => (beats.get(other) ?? Number.NEGATIVE_INFINITY) > Date.now() - seconds * 1000,
        remove: async () => void beats.delete(writer),
      };
      const ask = <T extends object>(target: T) => whileAlive(process, mapMethods(target, over));
      const counted = <T extends object>(target: T) =>
        mapMethods(target, (operation) => {
          operations += 1;
          return operation();
        });
      const lease = await holdLease(ask(table), writer);
      const append = async (records: readonly StoreRecord[]) => {
        onWrite(name, project, records);
        await store.append(records);
      };
      const { entry, entries, nodes, path, children, bodies, takes, refs, changes, scan, deepest, byEcho } = store;
      const own = {
        append,
        entry,
        entries,
        nodes,
        path,
        children,
        bodies,
        takes,
        refs,
        changes,
        scan,
        deepest,
        byEcho,
      };
      return overlayStore(store, {
        writer,
        ...repeatWhileUnreachable(PATIENCE_MS, { ...ask(counted(own)), isAlive: lease.isAlive }),
        facts: repeatWhileUnreachable(PATIENCE_MS, ask(counted(facts))),
        close: () => lease.end().catch(() => undefined),
      });
    },
  };
  return database;
}

/** The methods of an object, each called through `call`. */
function mapMethods<T extends object>(target: T, call: (operation: () => Promise<unknown>) => Promise<unknown>): T {
  const methods = Object.entries(target).map(([name, method]) => [
    name,
    (...given: unknown[]) => call(() => method(...given)),
  ]);
  return Object.fromEntries(methods) as T;
}

/** What a call of a process gives, and nothing after its death. */
function untilDeath<T>(process: ProcessLife, result: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    result.then(
      (value) => process.isDead || resolve(value),
      (error: unknown) => process.isDead || reject(error),
    );
  });
}

/** The same methods for a process that may die. */
export function whileAlive<T extends object>(process: ProcessLife, target: T): T {
  return mapMethods(target, (operation) =>
    process.isDead ? new Promise(() => undefined) : untilDeath(process, operation()),
  );
}
