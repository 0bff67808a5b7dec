import type { Store } from '../store.ts';
import type { FileStoreOptions } from './file-store.ts';

/**
 * Opens the store of a forest in a folder. Several processes may use it at once. The first write creates the folder.
 *
 * @example
 * const forest = createForest(await fileStore('./forest', { project: 'notes' }));
 */
export async function fileStore(folder: string, options: FileStoreOptions = {}): Promise<Store> {
  // Loaded lazily, so that other stores do not load what reads and writes segments.
  return (await import('./file-store.ts')).fileStore(folder, options);
}
