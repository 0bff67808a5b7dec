import type { Clock, EntryRecord } from '../model/index.ts';
import type { Store } from '../store/index.ts';
import { EngineError, type GenerationState } from './types.ts';
import { runningHere } from './under-way.ts';

/** A generation as it is stored. It is found by its id, and in the order of starting below its node. */
export function generationRecord(state: GenerationState, clock: Clock): EntryRecord {
  const { id, node, ...data } = state;
  return { k: 'generation', id, of: node, order: orderOf(state), clock: clock.tick(), data };
}

function orderOf({ startedAt, id }: GenerationState): string {
  return `${startedAt.toString(36).padStart(9, '0')}-${id}`;
}

export function stateOf({ id, of, data }: EntryRecord): GenerationState {
  return { ...(data as unknown as Omit<GenerationState, 'id' | 'node'>), id, node: of };
}

/** What is stored; one whose process died will never end, and is shown as aborted. */
export async function readGeneration(store: Store, id: string): Promise<GenerationState> {
  const entry = await store.entry('generation', id);
  if (!entry) throw new EngineError('unknown_generation', id, `There is no generation ${id} in this forest.`);
  return shown(store, stateOf(entry));
}

export async function shown(store: Store, state: GenerationState): Promise<GenerationState> {
  if (state.status !== 'running' || (await isRunning(store, state))) return state;
  const branches = state.branches.map((branch) =>
    branch.status === 'running' ? { ...branch, status: 'aborted' as const } : branch,
  );
  return { ...state, status: 'aborted', branches };
}

/** One of our own that does not run here has ended, and the store could not be told. */
async function isRunning(store: Store, { owner, id }: GenerationState): Promise<boolean> {
  if (!(await store.isAlive(owner))) return false;
  return owner !== store.writer || runningHere(store, id) !== undefined;
}
