import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import type { Environment } from '@skein/core';
import type { KeyPath } from '../files/document.ts';
import type { Problem } from '../files/problem.ts';
import { readFileOf, reporter } from '../files/read-file.ts';
import type { Report } from '../files/shape.ts';
import { configFilesIn, projectFolder } from './find-files.ts';
import { environmentLayer, type Flags, fileLayer, flagLayer, type Layer } from './layers.ts';
import { loadPlugins, type PluginEntry } from './plugins.ts';
import { type Picked, type Picker, pathIn, resolveConfig } from './resolve.ts';
import type { Config, Source } from './types.ts';
import { configShape, type Written } from './written.ts';

export interface LoadConfigOptions {
  /** Default: the folder of the process. */
  readonly cwd?: string;
  /** Default: the variables of the process. */
  readonly env?: Environment;
  readonly flags?: Flags;
  /** The file to read in place of the project's; it has to be there. */
  readonly file?: string;
  /** The user's home folder. */
  readonly home?: string;
}

export interface LoadedConfig {
  readonly config: Config;
  /** Where values come from, by key: `server.port`, `providers.house`. What is not here is a default. */
  readonly sources: Readonly<Record<string, Source>>;
  /** The files that were read. */
  readonly files: readonly string[];
  /** What is wrong. A value with an error is not used: the next source counts. */
  readonly problems: readonly Problem[];
}

/**
 * Reads flags, variables, the project's file and the user's, in this order of precedence, and runs the plug-ins that the
 * files name. It does not throw.
 */
export async function loadConfig(options: LoadConfigOptions = {}): Promise<LoadedConfig> {
  const { cwd = process.cwd(), env = process.env, flags = {}, home = homedir() } = options;
  const problems: Problem[] = [];
  const folder = options.file === undefined ? projectFolder(cwd) : dirname(resolve(cwd, options.file));
  const userFolder = join(env.XDG_CONFIG_HOME || join(home, '.config'), 'skein');
  const projectFiles = options.file === undefined ? configFilesIn(folder) : [resolve(cwd, options.file)];
  const layers = [
    flagLayer(flags, cwd),
    environmentLayer(env, cwd),
    ...(await readLayer('project', projectFiles, folder, problems)),
    ...(folder === userFolder ? [] : await readLayer('user', configFilesIn(userFolder), userFolder, problems)),
  ].map((layer) => lookAt(layer, problems));
  // First, because the rest may name what a plug-in defines.
  const plugins = layers.flatMap((layer) => pluginEntries(layer, home));
  await loadPlugins(plugins);
  const sources: Record<string, Source> = {};
  const surroundings = { projectFolder: folder, env, home, plugins: plugins.map(({ file }) => file) };
  const config = resolveConfig(pickerOf(layers, sources), surroundings);
  const files = layers.filter(({ kind }) => kind === 'project' || kind === 'user').map(({ document }) => document.file);
  return { config, sources, files, problems };
}

async function readLayer(
  kind: 'project' | 'user',
  [file, another]: readonly string[],
  folder: string,
  problems: Problem[],
): Promise<Layer[]> {
  if (file === undefined) return [];
  if (another !== undefined)
    problems.push({
      severity: 'error',
      code: 'duplicate',
      file: another,
      line: undefined,
      key: '',
      message: `There is ${file}, too, and only that is read.`,
      fix: 'Keep one of them.',
    });
  const { document, problems: found } = await readFileOf(file);
  problems.push(...found);
  return document ? [fileLayer(kind, document, folder)] : [];
}

type Looked = Layer & { readonly written: Partial<Written>; readonly report: Report };

function lookAt(layer: Layer, problems: Problem[]): Looked {
  const report: Report = (path, ...rest) => {
    const named = { file: layer.nameOf(path), lineOf: layer.document.lineOf };
    reporter(named, problems)(path, ...rest);
  };
  // An empty file is one without keys.
  const written = configShape(layer.document.value ?? {}, [], report) ?? {};
  return { ...layer, written, report };
}

/** Only files name plug-ins: neither a flag nor a variable does. */
function pluginEntries({ written, folder, report }: Looked, home: string): PluginEntry[] {
  return (written.plugins ?? []).map((value, index) => ({
    file: pathIn({ value, folder }, home),
    report: (message, fix) => report(['plugins', index], 'plugin', message, fix),
  }));
}

function pickerOf(layers: readonly Looked[], sources: Record<string, Source>): Picker {
  const note = ({ kind, nameOf, document }: Looked, path: KeyPath) => {
    sources[path.join('.')] = { kind, name: nameOf(path), line: document.lineOf(path) };
  };
  const picked = <T>(layer: Looked, path: KeyPath, value: T): Picked<T> => {
    note(layer, path);
    return { value, folder: layer.folder, path, report: layer.report };
  };
  const single = (key: keyof Written) => {
    const layer = layers.find(({ written }) => written[key] !== undefined);
    return layer && picked(layer, [key], layer.written[key]);
  };
  const groupOf = (layer: Looked, group: keyof Written) => (layer.written[group] ?? {}) as Record<string, unknown>;
  const inGroup = (group: keyof Written, name: string) => {
    const layer = layers.find((one) => groupOf(one, group)[name] !== undefined);
    return layer && picked(layer, [group, name], groupOf(layer, group)[name]).value;
  };
  const names = (group: keyof Written) => {
    const found = new Map<string, Picked<unknown> & { readonly name: string }>();
    for (const layer of layers)
      for (const [name, value] of Object.entries(groupOf(layer, group)))
        if (!found.has(name)) found.set(name, { name, ...picked(layer, [group, name], value) });
    return [...found.values()];
  };
  // The types of the keys are those that `configShape` has looked for.
  return Object.assign(single, { in: inGroup, names }) as unknown as Picker;
}
