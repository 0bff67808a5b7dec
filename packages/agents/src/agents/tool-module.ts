import type { Tool } from '@skein/core';
import { importModule } from '../files/import-module.ts';
import { isRecord } from '../files/shape.ts';

/** The tools that a module exports, by any name, alone or in lists. */
export async function toolsInModule(file: string, limitMs?: number): Promise<readonly Tool[]> {
  const module = await importModule(file, limitMs);
  // By their names: the order goes into every request, and has to be the same each time.
  const exported = isRecord(module)
    ? Object.keys(module)
        .sort()
        .map((name) => module[name])
    : [];
  // What is exported under two names is one tool.
  return [...new Set(exported.flatMap((value: unknown) => (Array.isArray(value) ? value : [value])).filter(isTool))];
}

function isTool(value: unknown): value is Tool {
  if (!isRecord(value)) return false;
  const { name, parameters, check, execute, needsApproval } = value;
  const areFunctions = [check, execute, needsApproval].every((one) => typeof one === 'function');
  return typeof name === 'string' && isRecord(parameters) && areFunctions;
}
