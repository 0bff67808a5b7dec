import { stat } from 'node:fs/promises';
import * as core from '@skein/core';
import type { chainMessages, defineImporter, FormatError } from '@skein/forest';
import { importModule } from '../files/import-module.ts';

/**
 * What a plug-in receives: everything that `@skein/core` exports, and what an importer needs of `@skein/forest`. So a plug-in
 * needs no copy of the packages, and what it defines is defined for the program that runs.
 */
export type PluginApi = typeof core & {
  readonly defineImporter: typeof defineImporter;
  readonly chainMessages: typeof chainMessages;
  readonly FormatError: typeof FormatError;
};

/**
 * A plug-in is the default export of a module that `plugins` in the configuration names.
 *
 * @example
 * export default ({ defineProvider, provider }) => {
 *   defineProvider({ ...provider('openai-compatible'), id: 'house', issuer: 'llm.house.example' });
 * };
 */
export type Plugin = (skein: PluginApi) => unknown;

/** An entry of `plugins`: the module, and where to report its problems. */
export interface PluginEntry {
  readonly file: string;
  readonly report: (message: string, fix: string) => void;
}

/** The modules that were run, by file. A process runs each once, because what it defined stays defined. */
const loaded = new Map<string, Promise<void>>();

/** Runs the plug-ins in their order. One that fails is reported, and the others still run. */
export async function loadPlugins(entries: readonly PluginEntry[]): Promise<void> {
  for (const { file, report } of entries) {
    const running = loaded.get(file) ?? runPlugin(file);
    loaded.set(file, running);
    try {
      await running;
    } catch (error) {
      loaded.delete(file);
      const why = error instanceof Error ? error.message : String(error);
      report(`The plug-in ${file} was not loaded: ${why.replace(/[.\s]+$/, '')}.`, 'Fix it, or remove the line.');
    }
  }
}

async function runPlugin(file: string): Promise<void> {
  const found = await stat(file).catch(() => undefined);
  if (!found?.isFile()) throw new Error(found ? 'it is not a file' : 'there is no such file');
  const module = (await importModule(file)) as { readonly default?: unknown } | undefined;
  const plugin = module?.default;
  if (typeof plugin !== 'function')
    throw new Error('it has no function as its default export, such as export default ({ defineDialect }) => { … }');
  // The forest package is large, and most configurations have no plug-ins.
  const { defineImporter, chainMessages, FormatError } = await import('@skein/forest');
  await (plugin as Plugin)({ ...core, defineImporter, chainMessages, FormatError });
}
