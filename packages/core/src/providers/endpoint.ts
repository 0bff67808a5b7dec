import type { Connection, ProviderDescriptor } from '../dialects/provider.ts';
import { SkeinError } from '../error.ts';
import { type Environment, environment, firstVariable } from './environment.ts';

export interface EndpointOptions {
  /** Before any variable. */
  readonly key?: string | undefined;
  readonly baseUrl?: string | undefined;
  /** Default: the variables of the process. */
  readonly env?: Environment | undefined;
}

/** Where a provider is for this caller: its base address, and the issuer that follows from it. */
export interface Endpoint {
  readonly provider: ProviderDescriptor;
  readonly connection: Connection;
  readonly baseUrl: string;
}

export function resolveEndpoint(provider: ProviderDescriptor, options: EndpointOptions = {}): Endpoint {
  const { connection } = provider;
  if (!connection) throw new TypeError(`The provider ${provider.id} is not reached over a network`);
  const { baseUrlVariables } = connection;
  const baseUrl =
    options.baseUrl || firstVariable(baseUrlVariables, options.env ?? environment()) || connection.baseUrl;
  if (!baseUrl) throw new MissingBaseUrlError(provider.id, baseUrlVariables);
  const url = parseUrl(baseUrl, provider.id);
  const issuer = provider.issuer.replace('{host}', url.host);
  return {
    provider: issuer === provider.issuer ? provider : { ...provider, issuer },
    connection,
    baseUrl: baseUrl.replace(/\/+$/, ''),
  };
}

/** The key, given or found; undefined where none is there and none is needed. Never keep it in anything that is shown. */
export function resolveKey(provider: ProviderDescriptor, options: EndpointOptions = {}): string | undefined {
  const { key, isMissing, variables } = lookForKey(provider, options);
  if (isMissing) throw new MissingKeyError(provider.id, variables);
  return key;
}

/** Whether requests could be signed with what is there. */
export function hasKey(provider: ProviderDescriptor, options: EndpointOptions = {}): boolean {
  return !lookForKey(provider, options).isMissing;
}

function lookForKey({ connection }: ProviderDescriptor, options: EndpointOptions) {
  const { keyVariables: variables = [], needsKey = true, auth = [] } = connection ?? {};
  const key = options.key?.trim() || firstVariable(variables, options.env ?? environment());
  return { key, isMissing: !key && needsKey && auth.length > 0, variables };
}

function parseUrl(text: string, provider: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url && /^https?:$/.test(url.protocol)) return url;
  // The text is not repeated: an address may hold a password.
  throw new TypeError(`The base address for ${provider} is not an http(s) address`);
}

/** Something that is neither given nor in the environment. */
abstract class MissingError extends SkeinError {
  readonly provider: string;
  readonly variables: readonly string[];

  constructor(what: string, it: string, provider: string, variables: readonly string[]) {
    super(
      `No ${what} for ${provider}. ${variables.length > 0 ? `Set ${variables.join(' or ')}, or give` : 'Give'} ${it}.`,
    );
    this.provider = provider;
    this.variables = variables;
  }
}

export class MissingKeyError extends MissingError {
  override readonly name = 'MissingKeyError';
  readonly code = 'missing_key';

  constructor(provider: string, variables: readonly string[]) {
    super('key', 'a key', provider, variables);
  }
}

export class MissingBaseUrlError extends MissingError {
  override readonly name = 'MissingBaseUrlError';
  readonly code = 'missing_base_url';

  constructor(provider: string, variables: readonly string[]) {
    super('base address', 'one', provider, variables);
  }
}
