import { readForest, type StreamedTraffic } from './caching/index.ts';
import { isOlderLayout } from './formats/index.ts';
import { checkFolder, isFolder, type OpenOptions, openForest } from './open-forest.ts';

/**
 * Opens the recorded requests of a forest for `diagnoseCaching` and `simulateCaching`. A folder is read from front to end, without its
 * index, so memory does not grow with what is stored.
 *
 * @example
 * const traffic = await openTraffic('./forest');
 * for await (const { cause } of diagnoseCaching(traffic)) console.log(cause);
 * await traffic.close();
 */
export async function openTraffic(where: string, options: OpenOptions = {}): Promise<StreamedTraffic> {
  if (isFolder(where)) {
    checkFolder(where);
    // Loaded lazily, as the store in files is.
    const { streamTraffic } = await import('./caching/streamed-traffic.ts');
    if (!(await isOlderLayout(where))) return streamTraffic(where, options);
  }
  const forest = await openForest(where, options);
  return {
    requests: (period) => readForest(forest).requests(period),
    problems: () => forest.store.problems(),
    close: () => forest.close(),
  };
}
