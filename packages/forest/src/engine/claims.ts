import { type ForestContext, makeRef } from '../forest/index.ts';
import type { Store } from '../store/index.ts';
import { EngineError } from './types.ts';

/** Where every writer says what it is about to start. */
const CLAIMS = { on: 'forest', key: 'engine' } as const;
/** Starting takes a few writes; whoever takes longer is stuck. */
const PATIENCE_MS = 10_000;
const PAUSE_MS = 20;
/** The newest count: claims are held for moments, and old ones are left by the dead. */
const MOST_WRITERS = 1000;

/** What each writer of this process claims. */
const claimed = new Map<string, Set<string>>();

/**
 * Looking whether something runs and starting it are one step for everyone who shares the store. A claim is written
 * before the others' are read, so of two who want the same at least one sees the other; nobody works who sees a claim.
 * Of those who wait, the writer with the first name keeps its claim and the others take theirs back.
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

/** Those who claim it and live. */
async function readOtherClaims({ store }: ForestContext, name: string): Promise<string[]> {
  // Makes sure that what others have written is read.
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
    'Another process has been starting a generation here for ten seconds: ask again.',
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
