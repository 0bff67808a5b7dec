import { access, constants } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { StoreChoice } from '@skein/agents';

/** What `openForest` takes for the store that was chosen. */
export function placeOf(store: StoreChoice, env: NodeJS.ProcessEnv): string {
  if (store.kind === 'memory') return ':memory:';
  if (store.kind === 'file') return store.folder;
  const address = env[store.variable];
  if (address === undefined)
    throw new Error(`The store is PostgreSQL, but its variable ${store.variable} is not set: give it the address.`);
  return address;
}

/** The store for a person, without an address that may hold a password. */
export function describePlace(store: StoreChoice): string {
  return store.kind === 'file' ? store.folder : store.kind === 'postgres' ? 'PostgreSQL' : 'memory, gone at the end';
}

/** Throws where it is known before the first write that there can be none. */
export async function needWritable(store: StoreChoice): Promise<void> {
  if (store.kind === 'file') await mayWrite(store.folder);
}

/** Of the folder, or of what it would be made in. */
async function mayWrite(folder: string): Promise<void> {
  await access(folder, constants.W_OK).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' && dirname(folder) !== folder) return mayWrite(dirname(folder));
    throw new Error(`${folder} may not be written (${error.code}). --store takes another place.`);
  });
}
