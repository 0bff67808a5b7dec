import { parseModel, resolveEndpoint } from '../../providers/index.ts';
import type { RunOptions } from '../../run/index.ts';
import type { Partner } from './state.ts';

/** Who a chat talks to; undefined when that cannot be told, which the run will say better. */
export function partnerOf({ model, baseUrl, env }: Pick<RunOptions, 'model' | 'baseUrl' | 'env'>): Partner | undefined {
  try {
    const choice: Exclude<RunOptions['model'], string> = typeof model === 'string' ? parseModel(model) : model;
    const address = { baseUrl: choice.baseUrl ?? baseUrl, env: choice.env ?? env };
    const { provider } = resolveEndpoint(choice.provider, address);
    return { provider: provider.id, dialect: provider.dialect, issuer: provider.issuer };
  } catch {
    return undefined;
  }
}

/** The same company may offer several APIs: its issuers then differ behind the host. */
export function isSameProvider(one: Partner | undefined, other: Partner | undefined): boolean {
  if (!one || !other) return true;
  return one.provider === other.provider || hostOf(one.issuer) === hostOf(other.issuer);
}

const hostOf = (issuer: string): string => issuer.split('/', 1)[0]!;
