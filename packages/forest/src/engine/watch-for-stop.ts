import type { Context } from '../forest/context.ts';
import { seeRefs, setRef } from '../forest/refs.ts';
import type { Store } from '../store/index.ts';

/** Asks the process that runs a generation to end it, or takes that back. */
export async function setStop(context: Context, id: string, value: boolean): Promise<void> {
  await seeRefs(context, 'forest', [id], ['stop']);
  await context.store.append([setRef(context, 'forest', id, 'stop', value)]);
}

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
