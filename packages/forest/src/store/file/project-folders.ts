import { join } from 'node:path';
import { StoreError } from '../store.ts';
import type { Folders } from './segment-set.ts';

/** The folders of a project. Throws for a name that cannot be one. */
export function projectFolders(folder: string, project: string): Folders {
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/.test(project))
    throw new StoreError(
      'store_name',
      `${JSON.stringify(project)} is not a valid project name. Use up to 100 letters, digits, dots, dashes and underscores, beginning with a letter or digit.`,
    );
  const own = join(folder, 'projects', project);
  return {
    segments: join(own, 'segments'),
    writers: join(own, 'writers'),
    index: join(own, 'index'),
    setAside: join(own, 'set-aside'),
  };
}
