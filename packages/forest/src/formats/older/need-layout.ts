import { FormatError } from '../format-error.ts';
import { ROOTS_FILE } from './layout.ts';
import { fileState } from './read-files.ts';

/** Refuses a folder that is not in the older layout. */
export async function needOlderLayout(folder: string): Promise<void> {
  if (await isOlderLayout(folder)) return;
  throw new FormatError(
    'unknown_format',
    `There is no "${ROOTS_FILE}" in ${folder}: it is not a folder of the older layout.`,
  );
}

/** Whether a folder is in the older layout: it has `roots.json`. */
export async function isOlderLayout(folder: string): Promise<boolean> {
  return (await fileState(folder, ROOTS_FILE)) !== undefined;
}
