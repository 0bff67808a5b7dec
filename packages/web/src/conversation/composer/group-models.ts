import type { Model } from '../../api/types.ts';

/** More than can be looked through is searched for. */
const MOST_SHOWN = 120;

export interface ModelGroup {
  readonly provider: string;
  readonly models: readonly Model[];
}

/** Models that have every word of the search in their names, by provider, in the order they came. */
export function groupModels(models: readonly Model[], search: string): readonly ModelGroup[] {
  const words = search
    .toLowerCase()
    .split(/[\s/]+/)
    .filter(Boolean);
  const found = models.filter(({ id }) => words.every((word) => id.toLowerCase().includes(word))).slice(0, MOST_SHOWN);
  const groups = new Map<string, Model[]>();
  for (const model of found) groups.set(model.provider, [...(groups.get(model.provider) ?? []), model]);
  return [...groups].map(([provider, list]) => ({ provider, models: list }));
}
