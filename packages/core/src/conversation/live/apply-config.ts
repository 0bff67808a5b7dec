import type { NativeTool, ProviderDescriptor } from '../../dialects/index.ts';
import { isObject } from '../../json/index.ts';
import { provider, providers } from '../../providers/index.ts';
import type { Tool } from '../../run/index.ts';
import { checkConfig } from './check-config.ts';
import type { ConfigDelta, ConversationConfig } from './config.ts';

type AnyTool = Tool | NativeTool;

/** What belongs to one provider: it is never shown to another. */
const CONNECTION = ['apiKey', 'baseUrl', 'account', 'extraHeaders'] as const;

/** A configuration with changes; neither of the two is touched. Throws a `ConversationConfigurationError`. */
export function applyConfig(config: ConversationConfig, delta: ConfigDelta): ConversationConfig {
  checkConfig(delta);
  const { moreTools, ...rest } = delta;
  const next: ConversationConfig = {
    ...config,
    ...rest,
    ...whoIsAsked(config, rest),
    tools: withTools(rest.tools ?? config.tools ?? [], moreTools ?? []),
    ...('params' in rest && { params: rest.params && { ...config.params, ...rest.params } }),
    ...('limits' in rest && { limits: rest.limits && { ...config.limits, ...rest.limits } }),
  };
  if (providerIdOf(config) === undefined || providerIdOf(config) === providerIdOf(next)) return Object.freeze(next);
  const given = CONNECTION.filter((name) => Object.hasOwn(rest, name));
  const left = CONNECTION.filter((name) => !given.includes(name)).map((name) => [name, undefined]);
  return Object.freeze({ ...next, ...Object.fromEntries(left) });
}

/** Adds tools; one of the same name takes the place of the earlier one. */
export function withTools(tools: readonly AnyTool[], more: readonly AnyTool[]): readonly AnyTool[] {
  const all = [...tools];
  for (const tool of more) {
    const at = all.findIndex((one) => isSameTool(one, tool));
    all.splice(at < 0 ? all.length : at, at < 0 ? 0 : 1, tool);
  }
  return all;
}

function isSameTool(one: AnyTool, other: AnyTool): boolean {
  // What is no tool is found by the check, when the changes are applied.
  if (!isObject(one) || !isObject(other)) return false;
  if ('execute' in one) return 'execute' in other && one.name === other.name;
  return !('execute' in other) && one.dialect === other.dialect && one.native === other.native;
}

/** A provider alone leaves the choice of its model open; a model alone stays with the provider, unless it names another. */
function whoIsAsked(
  before: ConversationConfig,
  delta: ConversationConfig,
): Pick<ConversationConfig, 'provider' | 'model'> {
  if (delta.provider !== undefined) {
    const same = idOf(delta.provider) === providerIdOf(before);
    return { provider: delta.provider, model: delta.model ?? (same ? before.model : undefined) };
  }
  const { model } = delta;
  if (model === undefined) return { provider: before.provider, model: before.model };
  if (typeof model !== 'string' || providerNamedIn(model) !== undefined) return { provider: undefined, model };
  return { provider: before.provider ?? providerIdOf(before), model };
}

/** The provider that is sure to be asked; undefined where it is chosen. */
function providerIdOf({ provider: given, model }: ConversationConfig): string | undefined {
  // A builder asks before anything was checked.
  if (typeof model === 'object') return model?.provider?.id;
  if (given !== undefined) return idOf(given);
  return model === undefined ? undefined : providerNamedIn(model);
}

/** Whether a model is one of another provider than that. */
export function isOfAnother(model: ConversationConfig['model'], given: string | ProviderDescriptor): boolean {
  const named = model === undefined ? undefined : providerIdOf({ model });
  const wanted = typeof given === 'string' ? providerNamedIn(`${given}/`) : given?.id;
  return named !== undefined && named !== wanted;
}

function idOf(given: string | ProviderDescriptor): string {
  return typeof given === 'string' ? provider(given).id : given.id;
}

function providerNamedIn(model: string): string | undefined {
  if (typeof model !== 'string') return undefined;
  const name = model.slice(0, Math.max(model.indexOf('/'), 0));
  return providers().find(({ id, aliases }) => id === name || aliases?.includes(name))?.id;
}
