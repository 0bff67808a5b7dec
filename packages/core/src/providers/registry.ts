import type { Connection, ProviderDescriptor } from '../dialects/provider.ts';
import { SkeinError } from '../error.ts';
import { BUILT_IN } from './built-in.ts';

const added = /* @__PURE__ */ new Map<string, ProviderDescriptor>();
/** Kept until one is added: whoever records asks several times for each request. */
let listed: readonly ProviderDescriptor[] | undefined;

/**
 * Every provider, built in or defined, in the order of preference.
 *
 * @example
 * const withKeys = providers().filter((provider) => hasKey(provider));
 */
export function providers(): readonly ProviderDescriptor[] {
  listed ??= Object.freeze([...added.values(), ...BUILT_IN.filter(({ id }) => !added.has(id))]);
  return listed;
}

/**
 * The provider with that id or alias. Throws an `UnknownProviderError`.
 *
 * @example
 * const { issuer } = provider('anthropic');
 */
export function provider(id: string): ProviderDescriptor {
  const all = providers();
  const found = all.find((one) => one.id === id) ?? all.find((one) => one.aliases?.includes(id));
  if (found) return found;
  throw new UnknownProviderError(
    id,
    all.flatMap((one) => [one.id, ...(one.aliases ?? [])]),
  );
}

/**
 * Adds a provider; one with the id of a built-in provider replaces it. Its dialect may be defined later.
 *
 * @example
 * defineProvider({ ...provider('openai-compatible'), id: 'my-server', issuer: 'llm.example.com' });
 * await run({ model: 'my-server/some-model', baseUrl: 'https://llm.example.com/v1', messages }).text;
 */
export function defineProvider(descriptor: ProviderDescriptor): ProviderDescriptor {
  if (!/^[^\s/]+$/.test(descriptor.id))
    throw new TypeError(
      `The id of a provider must be a word without "/" and spaces, not ${JSON.stringify(descriptor.id)}`,
    );
  added.set(descriptor.id, descriptor);
  listed = undefined;
  return descriptor;
}

/** No provider has that id or alias. */
export class UnknownProviderError extends SkeinError {
  override readonly name = 'UnknownProviderError';
  readonly code = 'unknown_provider';
  readonly nearest: string | undefined;
  readonly known: readonly string[];

  constructor(id: string, known: readonly string[]) {
    const near = nearest(id, known);
    super(`Unknown provider "${id}".${near ? ` Did you mean "${near}"?` : ''} Known: ${known.join(', ')}`);
    this.nearest = near;
    this.known = known;
  }
}

/** A model and the provider that serves it. */
export interface ModelRef {
  readonly provider: ProviderDescriptor;
  readonly model: string;
}

/**
 * Reads `provider/model`. The first slash ends the provider; models may contain slashes.
 *
 * @example
 * const { provider, model } = parseModel('openrouter/anthropic/claude-sonnet-5');
 */
export function parseModel(text: string): ModelRef {
  const slash = text.indexOf('/');
  const model = text.slice(slash + 1);
  if (slash < 1 || model.trim() === '') throw new ModelRefError(text);
  return { provider: provider(text.slice(0, slash)), model };
}

/** A text that is not `provider/model`. */
export class ModelRefError extends SkeinError {
  override readonly name = 'ModelRefError';
  readonly code = 'invalid_model';

  constructor(text: string) {
    super(`"${text}" does not name a provider and a model. Write "provider/model", such as "openai/gpt-5.5".`);
  }
}

/**
 * The known name that is closest to a misspelt one; undefined when none is close.
 *
 * @example
 * nearest('antropic', ['anthropic', 'openai']); // 'anthropic'
 */
export function nearest(name: string, known: readonly string[]): string | undefined {
  const wanted = name.toLowerCase();
  let best: string | undefined;
  let bestDistance = Math.max(2, Math.floor(wanted.length / 2)) + 1;
  for (const candidate of known) {
    // A name with something left out or added (`open-router`, `google-ai`) is closer than its edit distance says.
    const contained = wanted.length > 2 && (candidate.includes(wanted) || wanted.includes(candidate));
    const distance = contained ? 1 : editDistance(wanted, candidate);
    if (distance < bestDistance) [best, bestDistance] = [candidate, distance];
  }
  return best;
}

function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const change = row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(change, row[j]! + 1, next[j - 1]! + 1));
    }
    row = next;
  }
  return row[b.length]!;
}

/** What a caller gives to reach a provider. */
export interface EndpointOptions {
  /** Used before any variable. */
  readonly key?: string | undefined;
  readonly baseUrl?: string | undefined;
  /** The version of the API; default: that of the provider. */
  readonly apiVersion?: string | undefined;
  /** Default: the variables of the process. */
  readonly env?: Environment | undefined;
}

/** The issuer of the answers of the demo. They are never sent to a provider as its own, and cost nothing. */
export const DEMO_ISSUER = 'skein-demo';

/** The variable with the address of the demo, if it stands in for the providers. */
const DEMO_URL = 'SKEIN_DEMO_URL';

/** A provider as one caller reaches it: its base address, the issuer that follows from it, and the version of its API. */
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
  const { apiVersion = provider.apiVersion } = options;
  const access = provider.connection.versions?.[apiVersion ?? ''];
  const connection = { ...provider.connection, ...provider.connection.locate?.(env), ...access };
  const { baseUrlVariables } = connection;
  const baseUrl = options.baseUrl || firstVariable(baseUrlVariables, env) || connection.baseUrl;
  if (!baseUrl) throw new MissingBaseUrlError(provider.id, baseUrlVariables);
  const url = parseUrl(baseUrl, provider.id);
  const demo = env[DEMO_URL];
  const isDemo = demo !== undefined && URL.canParse(demo) && new URL(demo).origin === url.origin;
  const issuer = isDemo ? DEMO_ISSUER : provider.issuer.replace('{host}', url.host);
  const isAsGiven = issuer === provider.issuer && apiVersion === provider.apiVersion && !access;
  const named = () => ({ ...provider, issuer, ...(apiVersion !== undefined && { apiVersion }) });
  return {
    provider: isAsGiven ? provider : { ...named(), connection: { ...provider.connection, ...access } },
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

/** The last base addresses. There are few, and each request asks for one twice. */
const parsed = new Map<string, URL>();

function parseUrl(text: string, provider: string): Pick<URL, 'origin' | 'host'> {
  const known = parsed.get(text);
  if (known) return known;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url && /^https?:$/.test(url.protocol)) {
    if (parsed.size >= 100) parsed.clear();
    parsed.set(text, url);
    return url;
  }
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
  return platform()?.env ?? {};
}

/** What Node and platforms like it say of the process; undefined elsewhere. */
export function platform(): { readonly env?: Environment; readonly versions?: Environment } | undefined {
  return (globalThis as { readonly process?: ReturnType<typeof platform> }).process;
}

/** The first of the variables that is not empty. */
function firstVariable(names: readonly string[], env: Environment): string | undefined {
  for (const name of names) {
    const value = env[name]?.trim();
    if (value) return value;
  }
  return undefined;
}
