import type { Connection, ProviderDescriptor } from '../dialects/provider.ts';
import { SkeinError } from '../error.ts';

/** What a caller gives to reach a provider. */
export interface EndpointOptions {
  /** Used before any variable. */
  readonly key?: string | undefined;
  readonly baseUrl?: string | undefined;
  /** Default: the variables of the process. */
  readonly env?: Environment | undefined;
}

/** A provider as one caller reaches it: its base address, and the issuer that follows from the address. */
export interface Endpoint {
  readonly provider: ProviderDescriptor;
  readonly connection: Connection;
  readonly baseUrl: string;
}

/**
 * Finds the base address of a provider: the given one, the first variable that is set, or the provider's own.
 *
 * @example
 * const { baseUrl } = resolveEndpoint(provider('ollama'));
 */
export function resolveEndpoint(provider: ProviderDescriptor, options: EndpointOptions = {}): Endpoint {
  if (!provider.connection) throw new EndpointError(`The provider ${provider.id} has no network address`);
  const env = options.env ?? environment();
  const connection = { ...provider.connection, ...provider.connection.locate?.(env) };
  const { baseUrlVariables } = connection;
  const baseUrl = options.baseUrl || firstVariable(baseUrlVariables, env) || connection.baseUrl;
  if (!baseUrl) throw new MissingBaseUrlError(provider.id, baseUrlVariables);
  const url = parseUrl(baseUrl, provider.id);
  const issuer = provider.issuer.replace('{host}', url.host);
  return {
    provider: issuer === provider.issuer ? provider : { ...provider, issuer },
    connection,
    baseUrl: baseUrl.replace(/\/+$/, ''),
  };
}

/**
 * The key for a provider: the given one, or the first variable that is set; undefined when there is none and none is needed.
 * Never store it in anything that is shown.
 *
 * @example
 * const key = resolveKey(provider('openai'), { env: process.env });
 */
export function resolveKey(provider: ProviderDescriptor, options: EndpointOptions = {}): string | undefined {
  const { key, isMissing, variables } = lookForKey(provider, options);
  if (isMissing) throw new MissingKeyError(provider.id, variables);
  return key;
}

/**
 * Whether there is a key for a provider, or none is needed.
 *
 * @example
 * if (!hasKey(provider('openai'))) console.log('Set OPENAI_API_KEY.');
 */
export function hasKey(provider: ProviderDescriptor, options: EndpointOptions = {}): boolean {
  return !lookForKey(provider, options).isMissing;
}

function lookForKey({ connection }: ProviderDescriptor, options: EndpointOptions) {
  const { keyVariables = [], credentialVariables = [], needsKey = true, auth = [] } = connection ?? {};
  const env = options.env ?? environment();
  const key = options.key?.trim() || firstVariable(keyVariables, env);
  const isMissing = !key && needsKey && auth.length > 0 && !firstVariable(credentialVariables, env);
  return { key, isMissing, variables: [...keyVariables, ...credentialVariables] };
}

function parseUrl(text: string, provider: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url && /^https?:$/.test(url.protocol)) return url;
  // The text is not quoted: an address may contain a password.
  throw new EndpointError(`The base address for ${provider} is not an http(s) address`);
}

/** The address of a provider cannot be used. */
class EndpointError extends SkeinError {
  override readonly name = 'EndpointError';
  readonly code = 'invalid_configuration';
}

/** A setting that is neither given nor in the environment. */
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

/** There is no key for a provider that needs one. */
export class MissingKeyError extends MissingError {
  override readonly name = 'MissingKeyError';
  readonly code = 'missing_key';

  constructor(provider: string, variables: readonly string[]) {
    super('key', 'a key', provider, variables);
  }
}

/** There is no address for a provider that has none of its own. */
export class MissingBaseUrlError extends MissingError {
  override readonly name = 'MissingBaseUrlError';
  readonly code = 'missing_base_url';

  constructor(provider: string, variables: readonly string[]) {
    super('base address', 'one', provider, variables);
  }
}

/** Environment variables. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The variables of the process; none outside Node. Read at each call, because they may be set late. */
export function environment(): Environment {
  const { process } = globalThis as { readonly process?: { readonly env?: Environment } };
  return process?.env ?? {};
}

/** The first of the variables that is not empty. */
function firstVariable(names: readonly string[], env: Environment): string | undefined {
  for (const name of names) {
    const value = env[name]?.trim();
    if (value) return value;
  }
  return undefined;
}
