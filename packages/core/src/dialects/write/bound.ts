import { isObject, isText, parseJson } from '../../json/index.ts';
import type { Message } from '../../message/index.ts';
import type { LossReason } from '../loss.ts';
import { forModel, type Policies } from '../provider.ts';
import { isOwn } from './units.ts';
import type { Target } from './writer.ts';

/** Why a message's opaque reasoning may not be sent to this target, or undefined when it may. */
export function boundElsewhere(message: Message, target: Target, dropBound: boolean): LossReason | undefined {
  if (dropBound) return 'prefix-bound';
  const { policies } = target.provider;
  const boundTo = forModel(policies.reasoningBoundTo, target.model);
  const { model, requestedModel, account, upstream } = message.origin;
  const names = [model, requestedModel].filter((name) => name !== undefined);
  const isItsModel = (name: string): boolean => family(name, policies) === family(target.model, policies);
  if (boundTo.includes('model') && names.length > 0 && !names.some(isItsModel)) return 'model-bound';
  if (boundTo.includes('account') && differ(account, target.account)) return 'account-bound';
  if (boundTo.includes('upstream') && differ(upstream && upstreamName(upstream, policies), target.upstream))
    return 'upstream-bound';
  return undefined;
}

/** Whether opaque reasoning for this target must stand behind the prefix it was made with. */
export function isPrefixBound(target: Target): boolean {
  return forModel(target.provider.policies.reasoningBoundTo, target.model).includes('prefix');
}

/**
 * The provider behind a router that a request goes to, by the name to ask for it: one that `routing` names, else the
 * one that wrote the last opaque reasoning, which no other reads.
 */
export function upstreamFor(
  messages: readonly Message[],
  target: Target,
  routing: string | undefined,
): string | undefined {
  const { policies } = target.provider;
  if (!forModel(policies.reasoningBoundTo, target.model).includes('upstream')) return undefined;
  const writer = messages.findLast(
    (message) => message.origin.upstream && isOwn(message, target) && message.facts.needs.includes('bound'),
  )?.origin.upstream;
  const last = writer && upstreamName(writer, policies);
  const value = routing === undefined ? undefined : parseJson(routing);
  const { only, order = [] } = isObject(value) ? value : {};
  const named = [only ?? order].flat().filter(isText);
  const asked = named.map((name) => upstreamName(name, policies));
  return asked.length === 0 || (last && asked.includes(last)) ? last : asked[0];
}

/** Routers give names to read (`Google AI Studio`) and are asked by others (`google-ai-studio`). */
function upstreamName(name: string, { upstreams }: Policies): string {
  return upstreams?.[name] ?? name.toLowerCase().replace(/[^a-z0-9]+/g, '-');
}

/** Whether two names that are both known differ. */
function differ(one: string | undefined, other: string | undefined): boolean {
  return one !== undefined && other !== undefined && one !== other;
}

/** The name that all names of a model have in common: without date, `latest` and the path before it, aliases resolved. */
function family(model: string, { modelAliases = [] }: Policies): string {
  const plain = model
    .slice(model.lastIndexOf('/') + 1)
    .replace(/[-@](?:\d{8}|\d{4}-\d{2}-\d{2}|latest)$/, '')
    .toLowerCase();
  return modelAliases.reduce((name, [pattern, known]) => name.replace(new RegExp(pattern), known), plain);
}
