import { type Environment, hasKey, modelInfo, type ProviderDescriptor } from '@skein/core';
import type { ServedModel } from '@skein/core/dialect';
import type { Services } from '../services.ts';
import type { ClientCall } from './client/client-call.ts';
import { ClientRefusal } from './client/client-error.ts';
import { findRoute, readOrigin } from './routes.ts';

type ModelSources = Pick<Services, 'providers' | 'env' | 'defaultModel'> & {
  readonly config: Pick<Services['config'], 'gateway'>;
};

/**
 * The models that a client can ask for: those that routes name, those of its own vendor by their bare names, and those of
 * every provider that has a key as `provider/model`.
 */
export async function listServedModels(
  { dialect }: Pick<ClientCall, 'dialect'>,
  { providers, env, defaultModel, config: { gateway } }: ModelSources,
): Promise<readonly ServedModel[]> {
  // The list is large, and most requests do not need it.
  const { listedContexts, listedModels } = await import('@skein/core/prices');
  const reachable = providers.filter((one) => isReachable(one, env));
  const find = (name: string) => reachable.find(({ id, aliases }) => id === name || aliases?.includes(name));
  const contexts = new Map(reachable.map(({ id }) => [id, listedContexts(id)]));
  const served = new Map<string, ServedModel>();
  const add = (id: string, provider: ProviderDescriptor | undefined, name: string) => {
    if (!provider || served.has(id)) return;
    const { contextTokens, maxOutputTokens } = modelInfo(provider, name);
    served.set(id, { id, contextTokens: contexts.get(provider.id)?.get(name) ?? contextTokens, maxOutputTokens });
  };
  const addNamed = (provider: string, name: string) => {
    const found = find(provider);
    add(`${provider}/${name}`, found, name);
  };
  for (const { pattern, provider, model: name } of gateway.routes)
    if (!/[*?]/.test(pattern)) add(pattern, find(provider), name);
  for (const { provider, model: name } of [...gateway.routes, ...gateway.fallback]) addNamed(provider, name);
  const model = await defaultModel();
  if (model !== undefined) addNamed(model.slice(0, model.indexOf('/')), model.slice(model.indexOf('/') + 1));
  const home = find(dialect.home.id);
  if (home) for (const name of listedModels(home.id)) add(name, home, name);
  for (const provider of reachable)
    for (const name of listedModels(provider.id)) add(`${provider.id}/${name}`, provider, name);
  return [...served.values()];
}

/**
 * One model of the list. A model that the list does not have is served as well where its provider can be asked; undefined for a
 * bare name, which only the vendor can know. Throws the 404 of the client for any other.
 */
export async function findServedModel(
  call: Pick<ClientCall, 'dialect' | 'model'>,
  services: ModelSources,
): Promise<ServedModel | undefined> {
  const { model: id = '' } = call;
  const listed = (await listServedModels(call, services)).find((one) => one.id === id);
  if (listed) return listed;
  const route = findRoute(call, services.config.gateway, services);
  if (route.kind === 'pass') return undefined;
  const [target] = route.kind === 'targets' ? route.targets : [];
  if (!target || !isReachable(target.provider, services.env)) throw unknownModel(id);
  const { contextTokens, maxOutputTokens } = modelInfo(target.provider, target.model);
  return { id, contextTokens, maxOutputTokens };
}

/** Whether there is an address and, where one is needed, a key. */
function isReachable(provider: ProviderDescriptor, env: Environment): boolean {
  return hasKey(provider, { env }) && readOrigin(provider, env) !== undefined;
}

/** The 404 of a model that nobody knows, in the words of the vendor; a 400 where the request names none. */
export function unknownModel(model: string): ClientRefusal {
  if (model === '')
    return new ClientRefusal(
      'You must provide a model parameter: the body has to be a JSON object that names a model.',
      {
        param: 'model',
      },
    );
  const hint = model.includes('/') ? ' There is no such provider, or it has no key here.' : '';
  return new ClientRefusal(`The model \`${model}\` does not exist or you do not have access to it.${hint}`, {
    status: 404,
    code: 'bad_model',
  });
}
