import type { Store } from '../store/index.ts';

/** What this process runs, by writer and generation: several engines may stand on one store. */
const running = new Map<string, AbortController>();
const turns = new Map<string, Promise<unknown>>();

export function setRunning({ writer }: Store, generation: string, aborting: AbortController): () => void {
  const key = `${writer}/${generation}`;
  running.set(key, aborting);
  return () => running.delete(key);
}

export function runningHere({ writer }: Store, generation: string): AbortController | undefined {
  return running.get(`${writer}/${generation}`);
}

/** Those of this process that want the same come one after the other. */
export function inTurn<T>({ writer }: Store, name: string, work: () => Promise<T>): Promise<T> {
  const key = `${writer}/${name}`;
  const result = (turns.get(key) ?? Promise.resolve()).then(work);
  const settled = result
    .catch(() => undefined)
    .then(() => {
      if (turns.get(key) === settled) turns.delete(key);
    });
  turns.set(key, settled);
  return result;
}
