import type { Checkpoint } from '@skein/core';
import type { Context } from '../forest/context.ts';
import { seeRefs, setRef } from '../forest/refs.ts';

/**
 * Checkpoints are kept on the branch that was sent with them, at its end so far: other branches of the same history
 * were sent as they are, and stay so.
 */
export async function keepCheckpoints(context: Context, head: string, checkpoints: readonly Checkpoint[]) {
  const newest = checkpoints.at(-1);
  if (!newest) return;
  await seeRefs(context, 'node', [head], ['checkpoint']);
  await context.store.append([setRef(context, 'node', head, 'checkpoint', newest)]);
}

export function isCheckpoint(value: unknown): value is Checkpoint {
  const { upTo, digest, replacement } = (value ?? {}) as Partial<Checkpoint>;
  return typeof upTo === 'number' && typeof digest === 'string' && Array.isArray(replacement);
}
