import { constants } from 'node:fs';
import { type FileHandle, open, readlink, realpath, stat } from 'node:fs/promises';
import { isAbsolute, join, relative, sep } from 'node:path';
import { SkeinError } from '@skein/core';

/** A path that leads out of the folder, or to something that these tools do not touch. */
export class OutsideError extends SkeinError {
  override readonly name = 'OutsideError';
  readonly code = 'outside_folder';

  constructor(path: string, why: string) {
    super(`${JSON.stringify(path)} is refused: ${why}. Give a path below the folder, such as "notes/today.md".`);
  }
}

/** Something inside the folder that is open. What is read from `handle` is inside, whatever happens to the path. */
interface OpenFile {
  readonly handle: FileHandle;
  /** The real path at the time of opening. */
  readonly path: string;
  /** From the folder, with slashes. */
  readonly name: string;
}

/**
 * Opens a file or folder below a folder. The path is resolved and checked, and what was opened is checked again,
 * by its descriptor: a link that was put there in between is noticed before anything is read.
 */
export async function openBelow(folder: string, path: string): Promise<OpenFile> {
  const steps = stepsOf(path);
  const root = await realpath(folder);
  const real = await realpath(join(root, ...steps));
  nameBelow(root, real, path);
  // Not following, and not waiting for the other end of a pipe.
  const handle = await open(real, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
  try {
    const opened = await pathOf(handle, real, path);
    const name = nameBelow(root, opened, path);
    const about = await handle.stat();
    if (!about.isFile() && !about.isDirectory()) throw new OutsideError(path, 'it is neither a file nor a folder');
    return { handle, path: opened, name };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** The parts of a path that people or models wrote; whatever could mean another place is refused before it is looked at. */
function stepsOf(path: string): string[] {
  if (path.includes('\0')) throw new OutsideError(path, 'it holds a zero character');
  if (isAbsolute(path) || /^[\\/]|^[A-Za-z]:|^~/.test(path)) throw new OutsideError(path, 'it is absolute');
  const steps = path.split(/[\\/]/).filter((step) => step !== '' && step !== '.');
  if (steps.includes('..')) throw new OutsideError(path, 'it contains ".."');
  if (sep === '\\' && steps.some((step) => /[:*?"<>|]|[. ]$/.test(step)))
    throw new OutsideError(path, 'it is no plain name');
  return steps;
}

/** The real path from the folder; compared exactly, since both are as the file system spells them. */
function nameBelow(root: string, real: string, path: string): string {
  const name = relative(root, real);
  if (name.split(sep)[0] === '..' || isAbsolute(name)) throw new OutsideError(path, 'it leads out of the folder');
  const steps = name.split(sep);
  // Settings and keys of programs are kept in such files (.env, .git); so by whatever name they were asked for.
  if (steps.some((step) => step.startsWith('.'))) throw new OutsideError(path, 'it is hidden');
  return steps.join('/');
}

/** Where that which is open is now. */
async function pathOf(handle: FileHandle, real: string, path: string): Promise<string> {
  const told =
    process.platform === 'linux' ? await readlink(`/proc/self/fd/${handle.fd}`).catch(() => undefined) : undefined;
  if (told !== undefined) return told;
  // Elsewhere nobody tells: the path has to lead, without links, to the very thing that is open, before and after.
  const mine = await handle.stat();
  for (let look = 0; look < 2; look++) {
    const there = await stat(real);
    if (there.ino !== mine.ino || there.dev !== mine.dev || (await realpath(real)) !== real)
      throw new OutsideError(path, 'it changed while it was being opened');
  }
  return real;
}
