import type { GatewayConfig, GatewayModel, GatewayRoute } from '@skein/agents';
import {
  type Dialect,
  type Environment,
  isSkeinError,
  type ModelRef,
  type ProviderDescriptor,
  resolveEndpoint,
} from '@skein/core';
import type { Route, Target } from './client/client-call.ts';

/** What a route is found by. */
interface RouteQuestion {
  readonly model?: string | undefined;
  readonly dialect: Pick<Dialect, 'home'>;
}

/** Longer names than those of all vendors. Patterns with several wildcards take long on a long text. */
const LONGEST_NAME = 256;

/**
 * Finds where a request goes: to the model that it names as `provider/model`; otherwise by the most specific route that
 * matches; otherwise, for a bare name, to the client's own vendor.
 */
export function findRoute(
  { model = '', dialect: { home } }: RouteQuestion,
  { routes, fallback }: Pick<GatewayConfig, 'routes' | 'fallback'>,
  { providers }: { readonly providers: readonly ProviderDescriptor[] },
): Route {
  if (model.length > LONGEST_NAME) return { kind: 'unknown', model: `${model.slice(0, LONGEST_NAME)}…` };
  const find = (name: string) => findNamed(name, providers);
  const named = readName(model, find);
  const matching = named ? undefined : mostSpecific(model, routes);
  const first = named ?? (matching && toTarget(matching, find));
  if (first) {
    const others = fallback.flatMap((one) => toTarget(one, find) ?? []);
    const targets = [first, ...others.filter((one) => !isSame(one, first))];
    const label = matching?.pattern ?? `${first.provider.id}/*`;
    return { kind: 'targets', targets, by: named ? 'name' : 'route', label };
  }
  // No vendor has models with a slash in their bare names, so this one means a provider that does not exist.
  if (model === '' || model.includes('/')) return { kind: 'unknown', model };
  return { kind: 'pass', provider: find(home.id) ?? home };
}

/**
 * Says where a client goes with a model: the model that answers, or undefined where its own vendor does, or nobody; and why, for
 * people.
 *
 * @example
 * explainRoute({ model: 'claude-opus-5-5', dialect: anthropicMessages }, config.gateway, { providers: providers() });
 * // { target: { provider, model: 'gpt-5.5' }, text: 'openai/gpt-5.5 (route "claude-*")' }
 */
export function explainRoute(...question: Parameters<typeof findRoute>): {
  readonly target: ModelRef | undefined;
  readonly text: string;
} {
  const route = findRoute(...question);
  if (route.kind === 'unknown') return { target: undefined, text: 'nowhere: no provider has that name' };
  if (route.kind === 'pass') return { target: undefined, text: `${route.provider.id}, untouched` };
  const [target, ...others] = route.targets;
  const names = others.map(({ provider, model }) => `${provider.id}/${model}`);
  const why = [
    ...(route.by === 'route' ? [`route "${route.label}"`] : []),
    ...(names.length > 0 ? [`then ${names.join(', ')}`] : []),
  ];
  return { target, text: `${target!.provider.id}/${target!.model}${why.length > 0 ? ` (${why.join('; ')})` : ''}` };
}

/** The most specific pattern: most plain characters first, then without wildcards, then in their order. */
export function mostSpecific(model: string, routes: readonly GatewayRoute[]): GatewayRoute | undefined {
  let best: GatewayRoute | undefined;
  for (const route of routes)
    if (toExpression(route.pattern).test(model) && (!best || weigh(route.pattern) > weigh(best.pattern))) best = route;
  return best;
}

function weigh(pattern: string): number {
  const plain = pattern.replace(/[*?]/g, '').length;
  return plain * 2 + (plain === pattern.length ? 1 : 0);
}

const expressions = new Map<string, RegExp>();

/** Patterns come from the configuration, so there are few. */
function toExpression(pattern: string): RegExp {
  const known = expressions.get(pattern);
  if (known) return known;
  const escaped = pattern.replace(/[.+^${}()|[\]\\]/g, '\\$&');
  const expression = new RegExp(`^${escaped.replaceAll('*', '.*').replaceAll('?', '.')}$`, 's');
  expressions.set(pattern, expression);
  return expression;
}

function readName(model: string, find: (name: string) => ProviderDescriptor | undefined): Target | undefined {
  const slash = model.indexOf('/');
  const name = model.slice(slash + 1);
  const provider = slash < 1 || name === '' ? undefined : find(model.slice(0, slash));
  return provider && { provider, model: name };
}

function toTarget(
  { provider, model }: GatewayModel,
  find: (name: string) => ProviderDescriptor | undefined,
): Target | undefined {
  const found = find(provider);
  return found && { provider: found, model };
}

function findNamed(name: string, providers: readonly ProviderDescriptor[]): ProviderDescriptor | undefined {
  const found =
    providers.find(({ id }) => id === name) ?? providers.find(({ aliases }) => aliases?.includes(name) ?? false);
  return found?.connection && found;
}

function isSame(a: Target, b: Target): boolean {
  return a.provider.id === b.provider.id && a.model === b.model;
}

/**
 * Whether two providers are one vendor, so that a key of the client for the one may be sent to the other: they have the same
 * host, and their keys are the same variables.
 */
export function isSameVendor(a: ProviderDescriptor, b: ProviderDescriptor, env: Environment): boolean {
  if (a.id === b.id) return true;
  const variables = b.connection?.keyVariables ?? [];
  if (!a.connection?.keyVariables.some((name) => variables.includes(name))) return false;
  const [one, other] = [a, b].map((provider) => readOrigin(provider, env));
  return one !== undefined && one === other;
}

/** Protocol and host of a provider; undefined where its address is not known. */
export function readOrigin(provider: ProviderDescriptor, env: Environment): string | undefined {
  if (!provider.connection) return undefined;
  try {
    return new URL(resolveEndpoint(provider, { env }).baseUrl).origin;
  } catch (error) {
    if (isSkeinError(error, 'missing_base_url', 'invalid_configuration')) return undefined;
    throw error;
  }
}
