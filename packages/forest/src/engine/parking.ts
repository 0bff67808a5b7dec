import { EngineError, type Generation } from './types.ts';

/** What an engine runs, to be ended together. */
export interface Parking {
  add(generation: Generation): void;
  /** Throws when nothing may begin any more. */
  refuse(): void;
  park(withinMs: number): Promise<void>;
}

export function createParking(): Parking {
  const running = new Set<Generation>();
  let isParked = false;
  return {
    add(generation) {
      running.add(generation);
      void generation.result.catch(() => undefined).then(() => running.delete(generation));
      if (isParked) generation.stop();
    },
    refuse() {
      if (isParked)
        throw new EngineError(
          'engine_parked',
          '',
          'This engine takes no more generations: its process is about to end.',
        );
    },
    async park(withinMs) {
      isParked = true;
      const timer = setTimeout(() => {
        for (const generation of running) generation.stop();
      }, withinMs);
      // One that is taken on while others end is ended, too.
      while (running.size > 0) await Promise.allSettled([...running].map(({ result }) => result));
      clearTimeout(timer);
    },
  };
}
