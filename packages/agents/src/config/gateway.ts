import { isSkeinError, type ProviderDescriptor } from '@skein/core';
import type { KeyPath } from '../files/document.ts';
import type { Report } from '../files/shape.ts';
import type { TokenEntry } from './config-file.ts';
import { findProvider } from './providers.ts';
import type { ConfigValue, Picker } from './resolve.ts';
import type { GatewayConfig, GatewayModel, GatewayRoute, GatewayToken } from './types.ts';

/** Reads what the configuration says of the gateway. A route or a token that is wrong is reported and left out. */
export function readGateway(pick: Picker, providers: Readonly<Record<string, ProviderDescriptor>>): GatewayConfig {
  const routes = pick.at('gateway', 'routes');
  const fallback = pick.at('gateway', 'fallback');
  const tokens = pick.at('gateway', 'tokens');
  const toModel = (text: string, path: KeyPath, report: Report): readonly GatewayModel[] => {
    const at = text.indexOf('/');
    const named = { provider: text.slice(0, at), model: text.slice(at + 1) };
    return isKnown(named.provider, providers, path, report) ? [named] : [];
  };
  return {
    routes: Object.entries(routes?.value ?? {}).flatMap(([pattern, text]): readonly GatewayRoute[] =>
      toModel(text, [...routes!.path, pattern], routes!.report).map((model) => ({ pattern, ...model })),
    ),
    fallback: (fallback?.value ?? []).flatMap((text, index) =>
      toModel(text, [...fallback!.path, index], fallback!.report),
    ),
    tokens: tokens ? readTokens(tokens) : [],
  };
}

function isKnown(
  name: string,
  providers: Readonly<Record<string, ProviderDescriptor>>,
  path: KeyPath,
  report: Report,
): boolean {
  try {
    return findProvider(name, providers).connection !== undefined;
  } catch (error) {
    if (!isSkeinError(error, 'unknown_provider')) throw error;
    report(
      path,
      'unknown-provider',
      error.message,
      'Write "provider/model" with a provider that "skein models" lists.',
    );
    return false;
  }
}

function readTokens({ value, path, report }: ConfigValue<readonly Partial<TokenEntry>[]>): readonly GatewayToken[] {
  const read: GatewayToken[] = [];
  for (const [index, { name, variable, budget = {} }] of value.entries()) {
    const at = [...path, index];
    if (name === undefined || variable === undefined) {
      const fix = 'Write both: { name: ci, variable: CI_TOKEN }.';
      report(at, 'missing-key', `A token needs a name and the variable that has it.`, fix);
      continue;
    }
    const twin = read.find((one) => one.name === name || one.variable === variable);
    if (twin) {
      const same = twin.name === name ? 'name' : 'variable';
      report(
        [...at, same],
        'duplicate',
        `Another token has the same ${same}.`,
        `Give each token a ${same} of its own.`,
      );
      continue;
    }
    const { cost_per_day: costPerDay, requests_per_minute: requestsPerMinute } = budget;
    read.push({
      name,
      variable,
      budget: {
        ...(costPerDay !== undefined && { costPerDay }),
        ...(requestsPerMinute !== undefined && { requestsPerMinute }),
      },
    });
  }
  return read;
}
