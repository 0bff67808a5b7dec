import { stat } from 'node:fs/promises';
import * as core from '@skein/core';

/** How long a module may take to load. */
const LOAD_MS = 20_000;

/** Runs a module of the user and returns its exports. TypeScript needs no build. */
export async function importModule(file: string, limitMs = LOAD_MS): Promise<unknown> {
  await stat(file);
  // The loader is large, and most configurations have no modules.
  const { createJiti } = await import('jiti');
  const jiti = createJiti(file, {
    // A cache in a shared temporary folder could contain code of other users.
    fsCache: false,
    // A changed file is read again.
    moduleCache: false,
    // A module that imports the core gets this copy, even if its folder has another one or none.
    virtualModules: { '@skein/core': core, skein: core },
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
