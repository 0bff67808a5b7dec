/** Processes on one store that can die: from then on nothing that they write arrives. */
import type { Emulator } from '@skein/emulator';
import { memoryStore, type Store } from '@skein/forest';
import { grow } from './kit.ts';

export interface Process extends ReturnType<typeof grow> {
  die(): void;
  /** Every write fails from now on, until it is mended. */
  breakDisk(): void;
  mendDisk(): void;
}

let count = 0;

export function processes(emulator: Emulator, store: Store = memoryStore()): (now?: () => number) => Process {
  const dead = new Set<string>();
  return (now = Date.now) => {
    // No other has it, not even in another test: what a dead one was about to do is never done.
    const writer = `process${++count}`;
    let isBroken = false;
    const own: Store = {
      ...store,
      writer,
      append: async (records) => {
        if (isBroken) throw new Error('no space left on device');
        return dead.has(writer) ? new Promise(() => undefined) : store.append(records);
      },
      isAlive: async (name) => !dead.has(name),
    };
    return {
      ...grow(emulator, own, now),
      die: () => void dead.add(writer),
      breakDisk: () => {
        isBroken = true;
      },
      mendDisk: () => {
        isBroken = false;
      },
    };
  };
}

/** Resolves when it holds. */
export async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 5));
}
