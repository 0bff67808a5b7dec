import { isObject, isText, parseJson } from '../../json/index.ts';
import type { Message } from '../../message/index.ts';
import { dropped, type LossReason } from '../loss.ts';
import { hashNext } from '../manifest.ts';
import { forModel, type Policies } from '../provider.ts';
import { draftOwn, isOwn, locateAt, type PlacedDraft, placeAt, type RequestJob, toElement } from './drafts.ts';
import type { Target } from './writer.ts';

// Opaque reasoning is bound to its model, its account, the provider behind a router, or the prefix it was made with.

/**
 * Drops reasoning that is bound to another prefix than the one it would stand behind now (`prefix-binding`). What
 * follows is checked against the prefix without it.
 */
export function dropReasoningBoundElsewhere(drafts: readonly PlacedDraft[], job: RequestJob): readonly PlacedDraft[] {
  if (!isPrefixBound(job.target)) return drafts;
  const { messages, cache, lost } = job;
  const kept: PlacedDraft[] = [];
  let prefix = job.prefix();
  for (const draft of drafts) {
    const rest = needsOtherPrefix(draft, prefix) ? withoutBound(draft, job) : [draft];
    if (rest.length === 0) lost.push(...locateAt(draft, dropped('', 'prefix-bound')));
    for (const one of rest) {
      if (!one.text) {
        lost.push(...one.losses);
        continue;
      }
      kept.push(one);
      prefix = hashNext(prefix, toElement(one, cache), messages, cache);
    }
  }
  return kept;
}

function needsOtherPrefix({ bound, message }: PlacedDraft, prefix: string): boolean {
  return bound === true && (message?.origin.prefix ?? prefix) !== prefix;
}

function withoutBound({ of, message }: PlacedDraft, job: RequestJob): PlacedDraft[] {
  const index = of[0]!;
  return draftOwn(message!, index, job, true).map((draft) => placeAt(draft, index, message));
}

/** Whether opaque reasoning for this target must stand behind the prefix that it was made with. */
export function isPrefixBound(target: Target): boolean {
  return forModel(target.provider.policies.reasoningBoundTo, target.model).includes('prefix');
}

/** Why a message's opaque reasoning may not be sent to this target, or undefined if it may. */
export function findBindingLoss(message: Message, target: Target, dropBound: boolean): LossReason | undefined {
  if (dropBound) return 'prefix-bound';
  const { policies } = target.provider;
  const boundTo = forModel(policies.reasoningBoundTo, target.model);
  const { model, requestedModel, account, upstream } = message.origin;
  const names = [model, requestedModel].filter((name) => name !== undefined);
  const isItsModel = (name: string): boolean => modelFamily(name, policies) === modelFamily(target.model, policies);
  if (boundTo.includes('model') && names.length > 0 && !names.some(isItsModel)) return 'model-bound';
  if (boundTo.includes('account') && differ(account, target.account)) return 'account-bound';
  if (boundTo.includes('upstream') && differ(upstream && upstreamName(upstream, policies), target.upstream))
    return 'upstream-bound';
  return undefined;
}

/** Whether two names are both known and differ. */
function differ(one: string | undefined, other: string | undefined): boolean {
  return one !== undefined && other !== undefined && one !== other;
}

/**
 * The name by which to request the provider behind a router: the one that `routing` names, otherwise the one that wrote
 * the last opaque reasoning, because no other can read it.
 */
export function findUpstream(
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

/** Routers report display names (`Google AI Studio`) but are asked for slugs (`google-ai-studio`). */
function upstreamName(name: string, { upstreams }: Policies): string {
  return upstreams?.[name] ?? name.toLowerCase().replace(/[^a-z0-9]+/g, '-');
}

/** The name that all names of a model share: without date, `latest` and path, and with aliases resolved. */
function modelFamily(model: string, { modelAliases = [] }: Policies): string {
  const plain = model
    .slice(model.lastIndexOf('/') + 1)
    .replace(/[-@](?:\d{8}|\d{4}-\d{2}-\d{2}|latest)$/, '')
    .toLowerCase();
  return modelAliases.reduce((name, [pattern, known]) => name.replace(new RegExp(pattern), known), plain);
}
