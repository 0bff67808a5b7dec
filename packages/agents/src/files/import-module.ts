import { stat } from 'node:fs/promises';
import * as core from '@skein/core';

/** How long a module may take to load. */
const LOAD_MS = 20_000;

/** Runs a module that a person wrote, and returns what it exports. TypeScript needs no build. */
export async function importModule(file: string, limitMs = LOAD_MS): Promise<unknown> {
  await stat(file);
  // It is large, and most people have no modules.
  const { createJiti } = await import('jiti');
  const jiti = createJiti(file, {
    // A cache in a shared folder for temporary files could hold what others wrote.
    fsCache: false,
    // A file that was changed is read anew.
    moduleCache: false,
    // A module that imports the core gets this one, even if its own folder has another or none.
    virtualModules: { '@skein/core': core },
  });
  return within(limitMs, jiti.import(file));
}

async function within<T>(ms: number, doing: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`it was not loaded within ${ms / 1000} s`)), ms);
  });
  return Promise.race([doing, late]).finally(() => clearTimeout(timer));
}
