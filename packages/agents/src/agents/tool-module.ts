import { stat } from 'node:fs/promises';
import * as core from '@skein/core';
import { isRecord } from '../files/shape.ts';

/** How long a module may take before the other agents go on without it. */
const LOAD_MS = 20_000;

/** The tools that a module exports, by any name, alone or in lists. TypeScript needs no build. */
export async function toolsInModule(file: string, limitMs = LOAD_MS): Promise<readonly core.Tool[]> {
  await stat(file);
  // It is large, and most people have no modules.
  const { createJiti } = await import('jiti');
  const jiti = createJiti(file, {
    // What others can write into (a shared folder for temporary files) is not run.
    fsCache: false,
    // A file that was changed is read anew.
    moduleCache: false,
    // The very core that runs the tools, also where the module's own folder has another or none.
    virtualModules: { '@skein/core': core },
  });
  const module: unknown = await within(limitMs, jiti.import(file));
  // By their names: the order goes into every request, and has to be the same each time.
  const exported = isRecord(module)
    ? Object.keys(module)
        .sort()
        .map((name) => module[name])
    : [];
  // What is exported under two names is one tool.
  return [...new Set(exported.flatMap((value: unknown) => (Array.isArray(value) ? value : [value])).filter(isTool))];
}

function isTool(value: unknown): value is core.Tool {
  if (!isRecord(value)) return false;
  const { name, parameters, check, execute, needsApproval } = value;
  const areFunctions = [check, execute, needsApproval].every((one) => typeof one === 'function');
  return typeof name === 'string' && isRecord(parameters) && areFunctions;
}

async function within<T>(ms: number, doing: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`it was not loaded within ${ms / 1000} s`)), ms);
  });
  return Promise.race([doing, late]).finally(() => clearTimeout(timer));
}
