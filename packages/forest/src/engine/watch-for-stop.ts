import type { Store } from '../store/index.ts';

/** Another process may ask for a generation to end. One look at a time, however much is written meanwhile. */
export function watchForStop(store: Store, id: string, aborting: AbortController): () => void {
  let looking: Promise<void> | undefined;
  let again = false;
  const look = async () => {
    const { items } = await store.refs({ on: 'forest', keys: [id], names: ['stop'] });
    if (items[0]?.value === true) aborting.abort();
  };
  const wake = () => {
    again = looking !== undefined;
    looking ??= look()
      .catch(() => undefined)
      .then(() => {
        looking = undefined;
        if (again) wake();
      });
  };
  wake();
  return store.watch(wake);
}
