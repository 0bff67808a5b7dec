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
