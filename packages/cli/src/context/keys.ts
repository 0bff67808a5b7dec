import { createRequire } from 'node:module';
import type { Config } from '@skein/agents';
import { type ProviderDescriptor, providers } from '@skein/core';
import { CommandError, errorText, warn } from '../output/output.ts';
import { type NamedTexts, namedTexts, userPath } from './user-files.ts';

/** The keys that `skein keys set` stored, by provider: in a file that only the user can read, or in the system's keyring. */
export interface KeyStore {
  /** Where they are, for people. */
  readonly place: string;
  /** The providers that have a stored key. */
  names(): readonly string[];
  get(provider: string): string | undefined;
  /** Undefined removes the key. Returns whether anything changed. */
  set(provider: string, key: string | undefined): boolean;
}

const SERVICE = 'skein';
/** The file's value for a key that is in the keyring. */
const IN_KEYRING = { prefix: 'keyring:' };

/**
 * Opens the stored keys. The file lists every provider that has one. With `keyring`, new keys go into the system's keyring,
 * and the file says so.
 */
export function openKeys({ keyring = false } = {}): KeyStore {
  const file: NamedTexts = namedTexts(userPath('keys.json'), { isPrivate: true });
  return {
    place: file.path,
    names: () => Object.keys(file.read()).sort(),
    get(provider) {
      const value = file.read()[provider];
      return value?.startsWith(IN_KEYRING.prefix) ? (openKeyring(provider).getPassword() ?? undefined) : value;
    },
    set(provider, key) {
      const before = file.read()[provider];
      if (before?.startsWith(IN_KEYRING.prefix) && !keyring) openKeyring(provider).deletePassword();
      if (!keyring || key === undefined) return file.set(provider, key);
      openKeyring(provider).setPassword(key);
      file.set(provider, `${IN_KEYRING.prefix}${SERVICE}`);
      return true;
    },
  };
}

/** The part of `@napi-rs/keyring` that is used. */
interface KeyringEntry {
  getPassword(): string | null;
  setPassword(text: string): void;
  deletePassword(): boolean;
}

function openKeyring(provider: string): KeyringEntry {
  try {
    const { Entry } = createRequire(import.meta.url)('@napi-rs/keyring') as {
      Entry: new (service: string, name: string) => KeyringEntry;
    };
    return guarded(new Entry(SERVICE, provider));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'MODULE_NOT_FOUND') throw error;
    throw new CommandError(
      'invalid_configuration',
      'The system keyring needs the package @napi-rs/keyring: npm install -g @napi-rs/keyring, or leave --keyring out.',
    );
  }
}

/** A machine without a desktop often has no keyring that answers. */
function guarded(entry: KeyringEntry): KeyringEntry {
  const attempt = <T>(act: () => T): T => {
    try {
      return act();
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      throw new CommandError('invalid_configuration', `The system keyring does not answer: ${why}`);
    }
  };
  return {
    getPassword: () => attempt(() => entry.getPassword()),
    setPassword: (text) => attempt(() => entry.setPassword(text)),
    deletePassword: () => attempt(() => entry.deletePassword()),
  };
}

/** The variables of the process, with the stored keys of those providers that have none there: the environment wins. */
export function keyEnvironment({ providers: own }: Pick<Config, 'providers'>): NodeJS.ProcessEnv {
  const keys = openKeys();
  const names = keys.names();
  if (names.length === 0) return process.env;
  const known = [...Object.values(own), ...providers().filter(({ id }) => !Object.hasOwn(own, id))];
  const env = { ...process.env };
  for (const { id, connection } of known) {
    const [variable] = connection?.keyVariables ?? [];
    if (variable === undefined || !names.includes(id) || connection!.keyVariables.some((name) => process.env[name]))
      continue;
    const key = readKey(keys, id);
    if (key !== undefined) env[variable] = key;
  }
  return env;
}

/** Without the keyring, the commands that need no key still work. */
function readKey(keys: KeyStore, id: string): string | undefined {
  try {
    return keys.get(id);
  } catch (error) {
    warn(`The key for ${id} cannot be read. ${errorText(error)}`);
    return undefined;
  }
}

/** Where the key of a provider comes from; undefined without one. */
export function keySource(provider: ProviderDescriptor, stored: readonly string[]): string | undefined {
  const variable = provider.connection?.keyVariables.find((name) => process.env[name]);
  return variable ?? (stored.includes(provider.id) ? 'stored' : undefined);
}
