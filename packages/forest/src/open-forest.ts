import { createForest, type Forest, ForestError } from './forest/index.ts';
import { isOlderLayout, openOlder } from './formats/index.ts';
import { throwReadable } from './store/file/disk.ts';
import { fileStore, memoryStore, postgresStore, type Store } from './store/index.ts';

/** How to open a forest. */
export interface OpenOptions {
  /** Separates one forest from another in the same store. Default: `default`. */
  readonly project?: string;
}

/**
 * Opens the forest in a folder (also of the older layout), in PostgreSQL (`postgres://…`) or in memory (`:memory:`).
 *
 * @example
 * const forest = await openForest('./forest');
 * const shared = await openForest('postgres://localhost/skein', { project: 'support' });
 */
export async function openForest(where: string, { project = 'default' }: OpenOptions = {}): Promise<Forest> {
  if (!/^[\w.-]{1,100}$/.test(project) || /^\.+$/.test(project))
    throw new ForestError(
      'bad_name',
      project,
      `"${project.slice(0, 60)}" is not a project name: use letters, digits and . _ -`,
    );
  const store = await openStore(where, project);
  try {
    if (isFolder(where) && (await isOlderLayout(where))) return await openOlder(where, { store, project });
    return createForest(store, { project });
  } catch (error) {
    await store.close();
    throwReadable(error, where);
  }
}

async function openStore(where: string, project: string): Promise<Store> {
  if (where === ':memory:') return memoryStore();
  if (/^postgres(ql)?:\/\//.test(where)) return postgresStore(where, { project });
  checkFolder(where);
  return fileStore(where, { project });
}

/** Throws if an address is meant to be something else than a folder. */
export function checkFolder(where: string): void {
  // A mistyped address may contain a password.
  const shown = where.replace(/\/\/.*@/s, '//…@').slice(0, 60);
  if (where.trim() === '' || /^\w+:\/\//.test(where))
    throw new ForestError(
      'bad_name',
      shown,
      `"${shown}" is not the address of a forest: give a folder, \`postgres://…\` or \`:memory:\`.`,
    );
}

export function isFolder(where: string): boolean {
  return where !== ':memory:' && !/^postgres(ql)?:\/\//.test(where);
}
