import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import type { Environment } from '@skein/core';
import type { Document, KeyPath } from '../files/document.ts';
import type { ConfigProblem } from '../files/problem.ts';
import { readDocumentFile, reporter } from '../files/read-file.ts';
import { isRecord, type Report } from '../files/shape.ts';
import { type ConfigFile, configShape } from './config-file.ts';
import { loadPlugins, type PluginEntry } from './plugins.ts';
import { type ConfigValue, type Picker, pathIn, resolveConfig } from './resolve.ts';
import type { Config, ValueSource } from './types.ts';

/** Where `loadConfig` finds values. */
export interface LoadConfigOptions {
  /** Default: the working folder of the process. */
  readonly cwd?: string;
  /** Default: the variables of the process. */
  readonly env?: Environment;
  readonly flags?: Flags;
  /** The file to read instead of the project's; it must exist. */
  readonly file?: string;
  /** The user's home folder. */
  readonly home?: string;
}

/** The configuration, with the sources of its values. */
export interface LoadedConfig {
  readonly config: Config;
  /** The source of each value, by key: `server.port`, `providers.house`. Keys without a source have defaults. */
  readonly sources: Readonly<Record<string, ValueSource>>;
  /** The files that were read. */
  readonly files: readonly string[];
  /** Wrong values are not used; the next source counts instead. */
  readonly problems: readonly ConfigProblem[];
}

/**
 * Reads flags, variables, the project's file and the user's file, in this order of precedence, and runs the plug-ins that the
 * files name. It does not throw.
 *
 * @example
 * const { config, problems } = await loadConfig({ flags: { port: 5000 } });
 * for (const problem of problems) console.warn(describeProblem(problem));
 */
export async function loadConfig(options: LoadConfigOptions = {}): Promise<LoadedConfig> {
  const { cwd = process.cwd(), env = process.env, flags = {}, home = homedir() } = options;
  const problems: ConfigProblem[] = [];
  const folder = options.file === undefined ? projectFolder(cwd) : dirname(resolve(cwd, options.file));
  const userFolder = join(env.XDG_CONFIG_HOME || join(home, '.config'), 'skein');
  const projectFiles = options.file === undefined ? configFilesIn(folder) : [resolve(cwd, options.file)];
  const layers = [
    flagLayer(flags, cwd),
    environmentLayer(env, cwd),
    ...(await readLayer('project', projectFiles, folder, problems)),
    ...(folder === userFolder ? [] : await readLayer('user', configFilesIn(userFolder), userFolder, problems)),
  ].map((layer) => checkLayer(layer, problems));
  // First, because other keys may name what a plug-in defines.
  const plugins = layers.flatMap((layer) => pluginEntries(layer, home));
  await loadPlugins(plugins);
  const sources: Record<string, ValueSource> = {};
  const surroundings = { projectFolder: folder, env, home, plugins: plugins.map(({ file }) => file) };
  const config = resolveConfig(createPicker(layers, sources), surroundings);
  const files = layers.filter(({ kind }) => kind === 'project' || kind === 'user').map(({ document }) => document.file);
  return { config, sources, files, problems };
}

async function readLayer(
  kind: 'project' | 'user',
  [file, another]: readonly string[],
  folder: string,
  problems: ConfigProblem[],
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
  const { document, problems: found } = await readDocumentFile(file);
  problems.push(...found);
  return document ? [fileLayer(kind, document, folder)] : [];
}

type CheckedLayer = Layer & { readonly written: Partial<ConfigFile>; readonly report: Report };

function checkLayer(layer: Layer, problems: ConfigProblem[]): CheckedLayer {
  const report: Report = (path, ...rest) => {
    const named = { file: layer.nameOf(path), placeOf: layer.document.placeOf };
    reporter(named, problems)(path, ...rest);
  };
  // An empty file is a configuration without keys.
  const written = configShape(layer.document.value ?? {}, [], report) ?? {};
  return { ...layer, written, report };
}

/** Only files can name plug-ins; flags and variables cannot. */
function pluginEntries({ written, folder, report }: CheckedLayer, home: string): PluginEntry[] {
  return (written.plugins ?? []).map((value, index) => ({
    file: pathIn({ value, folder }, home),
    report: (message, fix) => report(['plugins', index], 'plugin', message, fix),
  }));
}

function createPicker(layers: readonly CheckedLayer[], sources: Record<string, ValueSource>): Picker {
  const note = ({ kind, nameOf, document }: CheckedLayer, path: KeyPath) => {
    sources[path.join('.')] = { kind, name: nameOf(path), line: document.placeOf(path)?.line };
  };
  const picked = <T>(layer: CheckedLayer, path: KeyPath, value: T): ConfigValue<T> => {
    note(layer, path);
    return { value, folder: layer.folder, path, report: layer.report, rank: layers.indexOf(layer) };
  };
  const single = (key: keyof ConfigFile) => {
    const layer = layers.find(({ written }) => written[key] !== undefined);
    return layer && picked(layer, [key], layer.written[key]);
  };
  const groupOf = (layer: CheckedLayer, group: keyof ConfigFile) =>
    (layer.written[group] ?? {}) as Record<string, unknown>;
  const at = (group: keyof ConfigFile, name: string) => {
    const layer = layers.find((one) => groupOf(one, group)[name] !== undefined);
    return layer && picked(layer, [group, name], groupOf(layer, group)[name]);
  };
  const inGroup = (group: keyof ConfigFile, name: string) => at(group, name)?.value;
  const names = (group: keyof ConfigFile) => {
    const found = new Map<string, ConfigValue<unknown> & { readonly name: string }>();
    for (const layer of layers)
      for (const [name, value] of Object.entries(groupOf(layer, group)))
        if (!found.has(name)) found.set(name, { name, ...picked(layer, [group, name], value) });
    return [...found.values()];
  };
  // `configShape` has checked the types of the keys.
  return Object.assign(single, { at, in: inGroup, names }) as unknown as Picker;
}

/** One source of values, before it is checked. */
interface Layer {
  readonly kind: ValueSource['kind'];
  readonly document: Document;
  /** The folder that its relative paths start from. */
  readonly folder: string;
  /** The name of a value's origin: the flag, the variable, the file. */
  nameOf(path: KeyPath): string;
}

/** Flags by their names: `{ model: 'openai/gpt-5.5', port: 4141, proxyMode: 'replay' }`. */
export interface Flags {
  readonly store?: string | undefined;
  readonly project?: string | undefined;
  readonly model?: string | undefined;
  readonly preset?: string | undefined;
  readonly agents?: string | undefined;
  readonly port?: number | string | undefined;
  readonly host?: string | undefined;
  /** Names separated by commas. */
  readonly hosts?: string | undefined;
  readonly proxyMode?: string | undefined;
  readonly proxyOnMiss?: string | undefined;
  readonly useServerKeys?: boolean | string | undefined;
}

/** The key that each flag (`--proxy-mode`) and its variable (`SKEIN_PROXY_MODE`) set. */
const KEYS: Readonly<Record<keyof Flags, KeyPath>> = {
  store: ['store'],
  project: ['project'],
  model: ['model'],
  preset: ['preset'],
  agents: ['agents'],
  port: ['server', 'port'],
  host: ['server', 'host'],
  hosts: ['server', 'hosts'],
  proxyMode: ['proxy', 'mode'],
  proxyOnMiss: ['proxy', 'on_miss'],
  useServerKeys: ['proxy', 'use_server_keys'],
};

/** Flags and variables are texts. A text that cannot be converted stays a text, and is reported. */
const READ: Partial<Readonly<Record<keyof Flags, (given: unknown) => unknown>>> = {
  port: (given) => (typeof given === 'string' && /^\d+$/.test(given) ? Number(given) : given),
  hosts: (given) => (typeof given === 'string' ? given.split(',').map((name) => name.trim()) : given),
  useServerKeys: (given) =>
    given === 'true' || given === '1' ? true : given === 'false' || given === '0' ? false : given,
};

function flagLayer(flags: Flags, cwd: string): Layer {
  return namedLayer('flag', cwd, (name) => ({ name: `flag --${spelt(name, '-')}`, value: flags[name] }));
}

function environmentLayer(env: Environment, cwd: string): Layer {
  return namedLayer('environment', cwd, (name) => {
    const variable = `SKEIN_${spelt(name, '_').toUpperCase()}`;
    return { name: `variable ${variable}`, value: env[variable]?.trim() || undefined };
  });
}

function fileLayer(kind: 'project' | 'user', document: Document, folder: string): Layer {
  return { kind, document, folder, nameOf: () => document.file };
}

function namedLayer(
  kind: 'flag' | 'environment',
  folder: string,
  read: (name: keyof Flags) => { name: string; value: unknown },
): Layer {
  const value: Record<string, unknown> = {};
  const names = new Map<string, string>();
  for (const [name, path] of Object.entries(KEYS) as [keyof Flags, KeyPath][]) {
    const given = read(name);
    if (given.value === undefined) continue;
    names.set(path.join('.'), given.name);
    put(value, path, READ[name]?.(given.value) ?? given.value);
  }
  const nameOf = (path: KeyPath) => names.get(path.join('.')) ?? kind;
  return { kind, document: { file: kind, value, placeOf: () => undefined }, folder, nameOf };
}

function put(into: Record<string, unknown>, [first, second]: KeyPath, value: unknown): void {
  if (second === undefined) into[String(first)] = value;
  else
    into[String(first)] = {
      ...(isRecord(into[String(first)]) ? (into[String(first)] as object) : {}),
      [second]: value,
    };
}

function spelt(name: string, between: string): string {
  return name.replace(/[A-Z]/g, (letter) => `${between}${letter.toLowerCase()}`);
}

const NAMES = ['yaml', 'yml', 'toml', 'json'].map((extension) => `skein.config.${extension}`);

/** The configuration files in a folder; there should be at most one. */
function configFilesIn(folder: string): string[] {
  return NAMES.map((name) => join(folder, name)).filter((path) => existsSync(path));
}

/**
 * The project's folder: the nearest one with a configuration, from here up to the root of the git repository. Outside of
 * a repository only this folder counts: a configuration can start programs, and folders above may belong to others.
 */
function projectFolder(cwd: string): string {
  const folders = upToRepository(cwd);
  return folders.find((folder) => configFilesIn(folder).length > 0) ?? cwd;
}

function upToRepository(cwd: string): string[] {
  const folders: string[] = [];
  for (let folder = cwd; ; folder = dirname(folder)) {
    folders.push(folder);
    if (existsSync(join(folder, '.git'))) return folders;
    if (dirname(folder) === folder) return [cwd];
  }
}
