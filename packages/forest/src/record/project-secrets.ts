import { randomBytes } from 'node:crypto';
import { allItems, makeRef } from '../forest/index.ts';
import type { RecordingForest } from './recorder.ts';

/**
 * The secrets of a project for a purpose, such as signing references. They are kept in the store, so that every process of
 * the project has them, now and after a restart. The first one is for signing; all of them are for checking, because two
 * processes may each have made one at the same moment.
 *
 * @example
 * const [secret] = await projectSecrets(forest, 'references');
 */
export async function projectSecrets(
  forest: RecordingForest,
  purpose: string,
): Promise<readonly [string, ...(readonly string[])]> {
  const [first, ...others] = await readSecrets(forest, purpose);
  if (first !== undefined) return [first, ...others];
  const made = randomBytes(32).toString('base64');
  await forest.store.append([makeRef(forest, 'forest', keyFor(purpose), forest.store.writer, made)]);
  const [stored = made, ...more] = await readSecrets(forest, purpose);
  return [stored, ...more];
}

async function readSecrets({ store, clock }: RecordingForest, purpose: string): Promise<string[]> {
  const found: (readonly [writer: string, secret: string])[] = [];
  for await (const { name, value, clock: stamp } of allItems((page) =>
    store.refs({ on: 'forest', keys: [keyFor(purpose)], ...page }),
  )) {
    clock.see(stamp);
    if (typeof value === 'string') found.push([name, value]);
  }
  return found.sort(([a], [b]) => (a < b ? -1 : 1)).map(([, secret]) => secret);
}

function keyFor(purpose: string): string {
  return `secret ${purpose}`;
}
