import type { Model } from '../../api/types.ts';

/** More of one provider than can be looked through is searched for. */
const SHOWN = 8;
const SHOWN_FOUND = 40;

export interface ModelGroup {
  readonly provider: string;
  readonly models: readonly Model[];
  /** How many more there are. */
  readonly more: number;
}

/** Models that have every word of the search in their names, by provider, the likely newest first. */
export function groupModels(models: readonly Model[], search: string): readonly ModelGroup[] {
  const words = search
    .toLowerCase()
    .split(/[\s/]+/)
    .filter(Boolean);
  const found = models.filter(({ id }) => words.every((word) => id.toLowerCase().includes(word)));
  const groups = new Map<string, Model[]>();
  for (const model of found) groups.set(model.provider, [...(groups.get(model.provider) ?? []), model]);
  const most = words.length === 0 ? SHOWN : SHOWN_FOUND;
  const wanted = search.trim().toLowerCase();
  const isExact = ({ id, model }: Model) => id.toLowerCase() === wanted || model.toLowerCase() === wanted;
  const exactFirst = (a: Model, b: Model) => Number(isExact(b)) - Number(isExact(a)) || byNewest(a, b);
  return [...groups]
    .map(([provider, list]) => ({
      provider,
      models: list.toSorted(exactFirst).slice(0, most),
      more: Math.max(0, list.length - most),
    }))
    .sort((a, b) => Number(b.models.some(isExact)) - Number(a.models.some(isExact)));
}

/** Higher versions first; those whose limits are not known are old or special. */
function byNewest(a: Model, b: Model): number {
  const isKnown = Number(b.contextTokens !== undefined) - Number(a.contextTokens !== undefined);
  return isKnown || b.model.localeCompare(a.model, 'en', { numeric: true });
}
