/** One simulated run: steps of a world whose disks, clocks and networks all follow from one seed. */
import assert from 'node:assert/strict';
import { startVirtualTime, type VirtualTime } from './virtual-time.ts';

/** What a run did. */
export interface SimulationResult {
  readonly simulatedMs: number;
  readonly steps: number;
  readonly faults: number;
  readonly assertions: number;
  /** What happened, step by step: the same seed gives the same steps. */
  readonly trace: readonly string[];
}

/** Machines and what happens to them. Each step throws when something does not hold that must hold. */
export interface World {
  step(): Promise<void>;
  /** Everything calms down, and all machines agree. */
  end(): Promise<void>;
  counts(): Pick<SimulationResult, 'faults' | 'assertions'>;
  /** Gives back what the world replaced. */
  close?(): void;
}

/** An error of a simulated fault, in contrast to one of ours. */
export class NetworkError extends Error {}

/** Waits for work that a fault may end. What a check finds meanwhile still counts. */
export async function waitDespiteFaults(work: readonly Promise<unknown>[]): Promise<void> {
  for (const result of await Promise.allSettled(work))
    if (result.status === 'rejected' && result.reason instanceof assert.AssertionError) throw result.reason;
}

/** Runs one seed. The error of a failing one tells its last steps. */
export async function runWorld(
  seed: number,
  steps: number,
  createWorld: (time: VirtualTime, trace: string[]) => Promise<World>,
): Promise<SimulationResult> {
  const time = startVirtualTime(seed);
  const trace: string[] = [];
  let world: World | undefined;
  try {
    world = await createWorld(time, trace);
    for (let step = 0; step < steps; step++) await time.finish(world.step());
    await time.finish(world.end());
    return { simulatedMs: time.elapsedMs(), steps, ...world.counts(), trace };
  } catch (error) {
    const story = trace.slice(-12).join('\n  ');
    throw new Error(`Seed ${seed} fails after ${trace.length} steps:\n  ${story}\n${(error as Error).stack}`, {
      cause: error,
    });
  } finally {
    world?.close?.();
    time.restore();
  }
}
