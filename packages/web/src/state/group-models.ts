import type { Model } from '../api/types.ts';
import { LANGUAGE } from '../words/words.ts';

/** The most models shown per provider; others are found by searching. */
const SHOWN = 8;
const SHOWN_FOUND = 40;

interface ModelGroup {
  readonly provider: string;
  readonly models: readonly Model[];
  /** The number of models that are not shown. */
  readonly more: number;
}

/** Models whose names have every word of the search, grouped by provider, probably newest first. The current one is always shown. */
export function groupModels(models: readonly Model[], search: string, current?: string): readonly ModelGroup[] {
  const words = search
    .toLowerCase()
    .split(/[\s/]+/)
    .filter(Boolean);
  const found = models.filter(({ id }) => words.every((word) => id.toLowerCase().includes(word)));
  const most = words.length === 0 ? SHOWN : SHOWN_FOUND;
  const wanted = search.trim().toLowerCase();
  const isExact = ({ id, model }: Model) => id.toLowerCase() === wanted || model.toLowerCase() === wanted;
  const exactFirst = (a: Model, b: Model) => Number(isExact(b)) - Number(isExact(a)) || byNewest(a, b);
  return [...byProvider(found)]
    .map(([provider, list]) => {
      const shown = list.toSorted(exactFirst).filter(({ id }, at) => at < most || id === current);
      return { provider, models: shown, more: list.length - shown.length };
    })
    .sort((a, b) => Number(b.models.some(isExact)) - Number(a.models.some(isExact)));
}

/** All models, those of a provider together, probably newest first. */
export function orderModels(models: readonly Model[]): readonly Model[] {
  return [...byProvider(models).values()].flatMap((list) => list.toSorted(byNewest));
}

function byProvider(models: readonly Model[]): ReadonlyMap<string, readonly Model[]> {
  const groups = new Map<string, Model[]>();
  for (const model of models) {
    const group = groups.get(model.provider);
    if (group) group.push(model);
    else groups.set(model.provider, [model]);
  }
  return groups;
}

/** Models without known limits come last: they are old or special. Then higher versions first. */
function byNewest(a: Model, b: Model): number {
  const isKnown = Number(b.contextTokens !== undefined) - Number(a.contextTokens !== undefined);
  return (
    isKnown ||
    readVersion(b.model) - readVersion(a.model) ||
    b.model.localeCompare(a.model, LANGUAGE, { numeric: true })
  );
}

/** The version in the name of a model, such as 5.5 of `claude-opus-5-5`; neither its date nor its size. */
function readVersion(model: string): number {
  const [, major, minor = '0'] = /(?<![\d.])(\d{1,2})(?:[.-](\d{1,2}))?(?![\d.]*[bk\d])/.exec(model) ?? [];
  return major === undefined ? 0 : Number(`${major}.${minor}`);
}
