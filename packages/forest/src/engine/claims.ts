import { type ForestContext, makeRef } from '../forest/index.ts';
import type { Store } from '../store/index.ts';
import { EngineError } from './types.ts';

/** The ref under which every writer lists what it is about to start. */
const CLAIMS = { on: 'forest', key: 'engine' } as const;
/** Starting takes a few writes; a writer that takes longer is stuck. */
const PATIENCE_MS = 10_000;
const PAUSE_MS = 20;
/** Only the newest claims are read: a claim is held for moments, and old ones belong to dead writers. */
const MOST_WRITERS = 1000;

/** The claims of each writer of this process. */
const claimed = new Map<string, Set<string>>();

/**
 * Runs work under a name that only one process holds at a time: checking whether something runs and starting it are then
 * one step. A writer writes its claim before it reads those of others, so of two at least one sees the other, and whoever
 * sees a claim does not work. Of those who wait, the writer with the first name keeps its claim; the others release theirs.
 */
export function withClaim<T>(context: ForestContext, name: string, work: () => Promise<T>): Promise<T> {
  const { store } = context;
  return inQueue(store, name, async () => {
    const until = performance.now() + PATIENCE_MS;
    try {
      for (;;) {
        await claim(context, name);
        let others = await readOtherClaims(context, name);
        if (others.length === 0) return await work();
        while (others.length > 0) {
          if (performance.now() > until) throw stuck(name);
          if (others.some((other) => other < store.writer)) await releaseClaim(context, name);
          await pause();
          others = await readOtherClaims(context, name);
        }
      }
    } finally {
      await releaseClaim(context, name).catch(() => undefined);
    }
  });
}

/** Reads the other living writers that claim this name. */
async function readOtherClaims({ store }: ForestContext, name: string): Promise<string[]> {
  // Makes the store read what others have written.
  await store.changes();
  const { items } = await store.refs({ on: CLAIMS.on, keys: [CLAIMS.key], order: 'newest', limit: MOST_WRITERS });
  const others = items
    .filter(({ name: writer, value }) => writer !== store.writer && Array.isArray(value) && value.includes(name))
    .map(({ name: writer }) => writer);
  const alive = await Promise.all(others.map((writer) => store.isAlive(writer)));
  return others.filter((_, index) => alive[index]);
}

async function claim(context: ForestContext, name: string): Promise<void> {
  const { writer } = context.store;
  const ours = claimed.get(writer) ?? new Set();
  claimed.set(writer, ours.add(name));
  await writeClaims(context, ours);
}

async function releaseClaim(context: ForestContext, name: string): Promise<void> {
  const { writer } = context.store;
  const ours = claimed.get(writer);
  if (!ours?.delete(name)) return;
  if (ours.size === 0) claimed.delete(writer);
  await writeClaims(context, ours);
}

async function writeClaims(context: ForestContext, ours: ReadonlySet<string>): Promise<void> {
  const value = ours.size === 0 ? null : [...ours];
  await context.store.append([makeRef(context, CLAIMS.on, CLAIMS.key, context.store.writer, value)]);
}

function stuck(name: string): EngineError {
  return new EngineError(
    'generation_running',
    name,
    'Another process has been starting a generation here for ten seconds: try again.',
  );
}

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
}

/** The last piece of work in each queue of this process, by writer and name. */
const queues = new Map<string, Promise<unknown>>();

/** Work of this process under one name runs one after the other. */
function inQueue<T>({ writer }: Store, name: string, work: () => Promise<T>): Promise<T> {
  const key = `${writer}/${name}`;
  const result = (queues.get(key) ?? Promise.resolve()).then(work);
  const settled = result
    .catch(() => undefined)
    .then(() => {
      if (queues.get(key) === settled) queues.delete(key);
    });
  queues.set(key, settled);
  return result;
}
