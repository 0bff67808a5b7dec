import {
  dialect,
  isSkeinError,
  type Policies,
  type ProviderDescriptor,
  provider,
  UnknownProviderError,
} from '@skein/core';
import type { KeyPath } from '../files/document.ts';
import type { Report } from '../files/shape.ts';
import type { WrittenProvider } from './written.ts';

/** A provider as it was set: a built-in one with changes, or one of your own in front of any compatible address. */
export function providerOf(
  name: string,
  written: Partial<WrittenProvider>,
  path: KeyPath,
  report: Report,
): ProviderDescriptor | undefined {
  const base = builtIn(name) ?? ownBase(name, written, path, report);
  if (!base?.connection) return undefined;
  const { base_url, key_variable, dialect: spoken } = written;
  if (spoken !== undefined && spoken !== base.dialect) {
    const fix = `Leave "dialect" out, or give the provider another name than "${name}".`;
    report([...path, 'dialect'], 'wrong-value', `${name} speaks ${base.dialect}.`, fix);
    return undefined;
  }
  return {
    ...base,
    connection: {
      ...base.connection,
      ...(base_url !== undefined && { baseUrl: base_url }),
      ...(key_variable !== undefined && { keyVariables: [key_variable], needsKey: true }),
    },
  };
}

/** The provider of that name: as it was set, or built in. Throws an `UnknownProviderError` that lists all. */
export function findProvider(name: string, set: Readonly<Record<string, ProviderDescriptor>>): ProviderDescriptor {
  if (Object.hasOwn(set, name)) return set[name]!;
  const known = builtIn(name);
  // An alias finds what was set under the provider's own name, and the other way round.
  const same = known && Object.values(set).find(({ id }) => id === known.id);
  if (same ?? known) return (same ?? known)!;
  try {
    return provider(name);
  } catch (error) {
    if (!(error instanceof UnknownProviderError)) throw error;
    throw new UnknownProviderError(name, [
      ...Object.keys(set),
      ...error.known.filter((one) => !Object.hasOwn(set, one)),
    ]);
  }
}

function builtIn(name: string): ProviderDescriptor | undefined {
  try {
    return provider(name);
  } catch (error) {
    if (isSkeinError(error, 'unknown_provider')) return undefined;
    throw error;
  }
}

/** What a provider of one's own begins with: its dialect's home, reached at another address by whoever it is. */
function ownBase(
  id: string,
  { base_url, dialect: spoken }: Partial<WrittenProvider>,
  path: KeyPath,
  report: Report,
): ProviderDescriptor | undefined {
  if (base_url === undefined) {
    const fix = 'Add "base_url: https://…", or take the name of a provider that is built in.';
    report(path, 'missing-key', `"${id}" is not a provider that is built in, so it needs an address.`, fix);
    return undefined;
  }
  // Chat Completions are spoken by many; of an unknown one nothing is expected that not all of them do.
  const compatible = provider('openai-compatible');
  const home = spoken === undefined || spoken === compatible.dialect ? compatible : homeOf(spoken, path, report);
  if (!home?.connection) return undefined;
  const policies: Policies = home.policies;
  const { aliases: _, ...rest } = home;
  return {
    ...rest,
    id,
    issuer: '{host}',
    connection: { ...home.connection, keyVariables: [], baseUrlVariables: [], needsKey: false },
    policies,
  };
}

function homeOf(id: string, path: KeyPath, report: Report): ProviderDescriptor | undefined {
  try {
    return dialect(id).home;
  } catch (error) {
    if (!isSkeinError(error, 'unknown_dialect')) throw error;
    report([...path, 'dialect'], 'wrong-value', error.message, 'Write the name of a dialect.');
    return undefined;
  }
}
