// The older layout. Few folders have it, so its code, with a parser of TOML, is loaded when it is needed.
import type { Forest } from '../../forest/index.ts';
import type { Store } from '../../store/index.ts';
import type { ImportOptions, ImportResult } from '../import-file.ts';
import type { ExportOlderOptions } from './export-older.ts';
import type { OlderReport } from './older-forest.ts';

export { isOlderLayout } from './older-files.ts';

/**
 * Opens a folder of the older layout as a forest. Its files are read on demand and never changed; converted nodes and
 * everything new go into `store`. Nodes are also found by their older ids, such as `root-1/node-1`.
 *
 * @example
 * const forest = await openOlder('~/old-forest', { store: await fileStore('~/new-records') });
 */
export async function openOlder(
  folder: string,
  options: { readonly store: Store; readonly project?: string },
): Promise<Forest> {
  return (await import('./older-forest.ts')).openOlder(folder, options);
}

/** Imports a folder of the older layout: what `importFile` does with one. */
export async function importOlder(forest: Forest, folder: string, options: ImportOptions): Promise<ImportResult> {
  return (await import('./older-forest.ts')).importOlder(forest, folder, options);
}

/**
 * Reads a whole folder of the older layout without writing anything.
 *
 * @example
 * const { read, unreadable, problems } = await verifyOlder('~/old-forest');
 */
export async function verifyOlder(
  folder: string,
  options: { readonly onProgress?: (read: number) => void } = {},
): Promise<OlderReport> {
  return (await import('./older-forest.ts')).verifyOlder(folder, options);
}

/**
 * Writes a forest in the older layout into a new or empty folder. System messages at the front become the prompt of the
 * root; removed nodes are left out. `roots.json` is written last, because only then the folder is valid.
 *
 * @example
 * await exportOlder(forest, './older-copy', { onLosses: console.warn });
 */
export async function exportOlder(forest: Forest, folder: string, options: ExportOlderOptions = {}): Promise<void> {
  await (await import('./export-older.ts')).exportOlder(forest, folder, options);
}

/**
 * The names of settings that are not imported, by file: `presets`, but not their values.
 *
 * @example
 * for (const { file, names } of await olderSettings(folder)) console.warn(`${file}: ${names} are not imported`);
 */
export async function olderSettings(folder: string): Promise<readonly { file: string; names: readonly string[] }[]> {
  return (await import('./bookmarks.ts')).olderSettings(folder);
}
