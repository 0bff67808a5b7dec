import type { Environment } from '@skein/core';
import type { Document, KeyPath } from '../files/document.ts';
import { isRecord } from '../files/shape.ts';
import type { Source } from './types.ts';

/** One source of values, before it is looked at. */
export interface Layer {
  readonly kind: Source['kind'];
  readonly document: Document;
  /** Relative paths in it start here. */
  readonly folder: string;
  /** What a value of it is called: the flag, the variable, the file. */
  nameOf(path: KeyPath): string;
}

/** Flags by their names: `{ model: 'openai/gpt-5.2', port: 4141, proxyMode: 'replay' }`. */
export interface Flags {
  readonly store?: string | undefined;
  readonly project?: string | undefined;
  readonly model?: string | undefined;
  readonly preset?: string | undefined;
  readonly agents?: string | undefined;
  readonly port?: number | string | undefined;
  readonly host?: string | undefined;
  /** Names with commas between. */
  readonly hosts?: string | undefined;
  readonly proxyMode?: string | undefined;
  readonly proxyOnMiss?: string | undefined;
  readonly useServerKeys?: boolean | string | undefined;
}

/** Which key each flag (`--proxy-mode`), and the variable of that name (`SKEIN_PROXY_MODE`), sets. */
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

/** Flags and variables are texts; what cannot be read as it is meant stays one, and is reported. */
const READ: Partial<Readonly<Record<keyof Flags, (given: unknown) => unknown>>> = {
  port: (given) => (typeof given === 'string' && /^\d+$/.test(given) ? Number(given) : given),
  hosts: (given) => (typeof given === 'string' ? given.split(',').map((name) => name.trim()) : given),
  useServerKeys: (given) =>
    given === 'true' || given === '1' ? true : given === 'false' || given === '0' ? false : given,
};

export function flagLayer(flags: Flags, cwd: string): Layer {
  return namedLayer('flag', cwd, (name) => ({ name: `flag --${spelt(name, '-')}`, value: flags[name] }));
}

export function environmentLayer(env: Environment, cwd: string): Layer {
  return namedLayer('environment', cwd, (name) => {
    const variable = `SKEIN_${spelt(name, '_').toUpperCase()}`;
    return { name: `variable ${variable}`, value: env[variable]?.trim() || undefined };
  });
}

export function fileLayer(kind: 'project' | 'user', document: Document, folder: string): Layer {
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
  return { kind, document: { file: kind, value, lineOf: () => undefined }, folder, nameOf };
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
