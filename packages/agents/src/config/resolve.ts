import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Environment, ProviderDescriptor } from '@skein/core';
import type { KeyPath } from '../files/document.ts';
import type { Report } from '../files/shape.ts';
import type { ConfigFile, McpServerEntry } from './config-file.ts';
import { readGateway } from './gateway.ts';
import { toProvider } from './providers.ts';
import type { Config, McpServerConfig, Preset, StoreChoice } from './types.ts';

/** Finds the value of a key by precedence, with the folder for relative paths, and notes its source. */
export interface Picker {
  <K extends keyof ConfigFile>(key: K): ConfigValue<NonNullable<ConfigFile[K]>> | undefined;
  /** A key of a group such as `server`, with its place. */
  at<K extends Groups, N extends keyof NonNullable<ConfigFile[K]> & string>(
    group: K,
    name: N,
  ): ConfigValue<NonNullable<NonNullable<ConfigFile[K]>[N]>> | undefined;
  /** The value alone. */
  in<K extends Groups, N extends keyof NonNullable<ConfigFile[K]> & string>(
    group: K,
    name: N,
  ): NonNullable<NonNullable<ConfigFile[K]>[N]> | undefined;
  /** All names in a group whose names people choose, such as `providers`. */
  names<K extends Named>(group: K): readonly (ConfigValue<ConfigFile[K][string]> & { readonly name: string })[];
}
type Groups = 'fetch' | 'redaction' | 'retention' | 'server' | 'proxy' | 'gateway' | 'hints';
type Named = 'presets' | 'providers' | 'mcp' | 'stores';

export interface ConfigValue<T> {
  readonly value: T;
  readonly folder: string;
  readonly path: KeyPath;
  readonly report: Report;
  /** Which source it is from: 0 for the one that is asked first. */
  readonly rank: number;
}

/** What a configuration depends on besides its own values. */
interface ConfigSurroundings {
  readonly projectFolder: string;
  readonly env: Environment;
  readonly home: string;
  /** The plug-ins, which have been run. */
  readonly plugins: readonly string[];
}

export function resolveConfig(pick: Picker, { projectFolder, env, home, plugins }: ConfigSurroundings): Config {
  const presets = readPresets(pick);
  const preset = pick('preset');
  if (preset && !Object.hasOwn(presets, preset.value))
    preset.report(
      preset.path,
      'wrong-value',
      `There is no preset "${preset.value}".`,
      `Add it below "presets", or write one of: ${Object.keys(presets).join(', ') || 'none so far'}.`,
    );
  const agents = pick('agents');
  const cassettes = pick('cassettes');
  const providers = collect(pick.names('providers'), ({ name, value, path, report }): ProviderDescriptor | undefined =>
    toProvider(name, value, path, report),
  );
  const project = pick('project')?.value ?? 'default';
  return {
    store: readStore(pick, project, env, home),
    project,
    model: pick('model')?.value,
    preset: preset && Object.hasOwn(presets, preset.value) ? preset.value : undefined,
    presets,
    providers,
    agents: agents ? pathIn(agents, home) : join(projectFolder, 'agents'),
    cassettes: cassettes ? pathIn(cassettes, home) : join(projectFolder, 'cassettes'),
    mcp: collect(pick.names('mcp'), ({ value, folder, path, report }): McpServerConfig | undefined =>
      toMcpServer(value, folder, path, report),
    ),
    fetch: pick.in('fetch', 'enabled')
      ? {
          hosts: pick.in('fetch', 'hosts'),
          privateHosts: pick.in('fetch', 'private_hosts') ?? [],
          maxBytes: pick.in('fetch', 'max_bytes') ?? 1_000_000,
          seconds: pick.in('fetch', 'seconds') ?? 20,
        }
      : undefined,
    redaction: {
      patterns: pick.in('redaction', 'patterns') ?? [],
      fields: pick.in('redaction', 'fields') ?? [],
      beforeStoring: pick.in('redaction', 'before_storing') ?? false,
    },
    retention: { days: pick.in('retention', 'days'), recordingDays: pick.in('retention', 'recording_days') },
    server: {
      port: pick.in('server', 'port') ?? 4141,
      host: pick.in('server', 'host') ?? '127.0.0.1',
      tokenVariable: pick.in('server', 'token_variable') ?? 'SKEIN_TOKEN',
      hosts: pick.in('server', 'hosts') ?? [],
    },
    proxy: {
      mode: pick.in('proxy', 'mode') ?? 'record',
      onMiss: pick.in('proxy', 'on_miss') ?? 'refuse',
      useServerKeys: pick.in('proxy', 'use_server_keys') ?? false,
    },
    gateway: readGateway(pick, providers),
    titles: pick('titles')?.value ?? 'words',
    plugins,
    hints: { person: pick.in('hints', 'person') ?? [], session: pick.in('hints', 'session') ?? [] },
  };
}

function readPresets(pick: Picker): Readonly<Record<string, Preset>> {
  return collect(pick.names('presets'), ({ value: { temperature, max_tokens, top_p, n } }) => ({
    ...(temperature !== undefined && { temperature }),
    ...(max_tokens !== undefined && { maxTokens: max_tokens }),
    ...(top_p !== undefined && { topP: top_p }),
    ...(n !== undefined && { n }),
  }));
}

/** The store of the project, unless a source that is asked before, such as a flag, names one for all. */
function readStore(pick: Picker, project: string, env: Environment, home: string): StoreChoice {
  const common = pick('store');
  const own = pick.names('stores').find(({ name }) => name === project);
  const store = own && own.rank <= (common?.rank ?? own.rank) ? own : common;
  if (!store) return { kind: 'file', folder: join(env.XDG_DATA_HOME || join(home, '.local', 'share'), 'skein') };
  if (store.value === 'memory') return { kind: 'memory' };
  const [, variable] = /^postgres:(.*)$/.exec(store.value) ?? [];
  return variable === undefined ? { kind: 'file', folder: pathIn(store, home) } : { kind: 'postgres', variable };
}

/** Resolves a path: relative to the file that contains it, or to `~`. */
export function pathIn({ value, folder }: Pick<ConfigValue<string>, 'value' | 'folder'>, home: string): string {
  return resolve(folder, value.replace(/^~(?=$|[\\/])/, home || homedir()));
}

function collect<T extends { readonly name: string }, R>(
  picked: readonly T[],
  make: (one: T) => R | undefined,
): Readonly<Record<string, R>> {
  return Object.fromEntries(
    picked.flatMap((one) => {
      const made = make(one);
      return made === undefined ? [] : [[one.name, made]];
    }),
  );
}

/** Reads an MCP server: either a program or an address. */
export function toMcpServer(
  written: Partial<McpServerEntry>,
  folder: string,
  path: KeyPath,
  report: Report,
): McpServerConfig | undefined {
  const { command, url, args, env, cwd, headers } = written;
  const common = {
    callSeconds: written.call_seconds ?? 60,
    startSeconds: written.start_seconds ?? 30,
    approve: written.approve ?? 'annotations',
  };
  if ((command === undefined) === (url === undefined)) {
    const fix = 'Write "command" (and "args") for a program, or "url" for a server that is reached over HTTP.';
    const message =
      command === undefined ? 'There is neither a command nor an address.' : 'There are a command and an address.';
    report(path, 'missing-key', message, fix);
    return undefined;
  }
  if (command !== undefined) {
    if (headers) return misplaced('headers', 'url', path, report);
    return { kind: 'stdio', ...common, command, args: args ?? [], env: env ?? {}, cwd: resolve(folder, cwd ?? '.') };
  }
  const [extra] = Object.entries({ args, env, cwd }).filter(([, given]) => given !== undefined);
  if (extra) return misplaced(extra[0], 'command', path, report);
  return { kind: 'http', ...common, url: url!, headers: headers ?? {} };
}

function misplaced(key: string, belongsTo: string, path: KeyPath, report: Report): undefined {
  report([...path, key], 'wrong-value', `"${key}" has no meaning without "${belongsTo}".`, 'Remove it.');
}
