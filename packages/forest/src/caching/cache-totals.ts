import type { CacheCause, CacheDiagnosis } from './diagnosis.ts';

/** Sums over several requests. */
export interface CacheTotal {
  readonly requests: number;
  readonly prompt: number;
  readonly read: number;
  readonly written: number;
  readonly missed: number;
  /** US dollars; undefined if the price of any of the requests is not known. */
  readonly paid: number | undefined;
  readonly missedCost: number | undefined;
  readonly saved: number | undefined;
}

/** Sums of diagnoses, in all and by what people ask for; above 5,000 names, further ones are counted as `(others)`. */
export interface CacheTotals {
  readonly all: CacheTotal;
  /** The share of the tokens that could have been read which were read, from 0 to 1; 1 if none could. */
  readonly hitRate: number;
  /** How many requests may have been compared with the wrong one, or none, because too many others were between. */
  readonly uncertain: number;
  readonly byCause: ReadonlyMap<CacheCause, CacheTotal>;
  readonly byModel: ReadonlyMap<string, CacheTotal>;
  readonly byApp: ReadonlyMap<string, CacheTotal>;
  readonly byTag: ReadonlyMap<string, CacheTotal>;
  /** By days such as `2026-11-17`, in UTC. */
  readonly byDay: ReadonlyMap<string, CacheTotal>;
  /** The most expensive causes with their places, such as `tools[3].description`; the dearest first. */
  readonly worst: readonly CauseTotal[];
}

/** A cause at one place, with everything that it cost. */
export interface CauseTotal {
  readonly cause: CacheCause;
  readonly app: string;
  /** Where the requests part, or the name of the setting; empty for causes without a place. */
  readonly place: string;
  readonly total: CacheTotal;
  /** The newest exchange that shows it. */
  readonly example: CacheDiagnosis;
}

/** Adds up diagnoses as they come. */
export interface CacheTotalsBuilder {
  add(diagnosis: CacheDiagnosis): void;
  totals(): CacheTotals;
}

const EMPTY: CacheTotal = { requests: 0, prompt: 0, read: 0, written: 0, missed: 0, paid: 0, missedCost: 0, saved: 0 };
/** Causes at a place are counted apart up to this number; further ones count without their place. */
const MOST_PLACES = 1000;
/** Models, programs, tags and days are counted apart up to this number; further ones count as others. */
const MOST_GROUPS = 5000;
const OTHERS = '(others)';
const WORST = 5;

/**
 * Adds up diagnoses, in memory that does not grow with their number.
 *
 * @example
 * const totals = createCacheTotals();
 * for await (const diagnosis of diagnoseCaching(forest, { costOf })) totals.add(diagnosis);
 * console.log(totals.totals().hitRate);
 */
export function createCacheTotals(): CacheTotalsBuilder {
  let all = EMPTY;
  let uncertain = 0;
  const maps = {
    byCause: new Map<CacheCause, CacheTotal>(),
    byModel: new Map<string, CacheTotal>(),
    byApp: new Map<string, CacheTotal>(),
    byTag: new Map<string, CacheTotal>(),
    byDay: new Map<string, CacheTotal>(),
  };
  const places = new Map<string, CauseTotal>();

  function addPlace(diagnosis: CacheDiagnosis): void {
    const { cause, app } = diagnosis;
    const place = causePlace(diagnosis);
    const exact = JSON.stringify([cause, app, place]);
    const key = places.has(exact) || places.size < MOST_PLACES ? exact : JSON.stringify([cause, '', '']);
    const total = plus(places.get(key)?.total ?? EMPTY, diagnosis);
    const where = key === exact ? { app, place } : { app: '', place: '' };
    places.set(key, { cause, ...where, total, example: diagnosis });
  }

  return {
    add(diagnosis) {
      const { cause, provider, model, app, tags, start, tokens } = diagnosis;
      all = plus(all, diagnosis);
      if (diagnosis.isUncertain) uncertain++;
      count(maps.byCause, cause, diagnosis);
      count(maps.byModel, `${provider}/${model}`, diagnosis);
      count(maps.byApp, app, diagnosis);
      for (const tag of tags) count(maps.byTag, tag, diagnosis);
      count(maps.byDay, new Date(start).toISOString().slice(0, 10), diagnosis);
      if (tokens.missed > 0) addPlace(diagnosis);
    },
    totals: () => ({
      all,
      hitRate: all.read + all.missed === 0 ? 1 : all.read / (all.read + all.missed),
      uncertain,
      ...maps,
      worst: [...places.values()].sort(byCost).slice(0, WORST),
    }),
  };
}

/**
 * Where the requests part, such as `tools[3].description`, or the setting that differs; empty without a place.
 *
 * @example
 * causePlace(diagnosis); // 'system[0].text'
 */
export function causePlace({ difference, name }: Pick<CacheDiagnosis, 'difference' | 'name'>): string {
  if (!difference) return name ?? '';
  const { part, index, field } = difference;
  const dot = field === '' || field.startsWith('[') ? '' : '.';
  return `${part}[${index}]${dot}${field}`;
}

function byCost(a: CauseTotal, b: CauseTotal): number {
  return (b.total.missedCost ?? 0) - (a.total.missedCost ?? 0) || b.total.missed - a.total.missed;
}

function count(map: Map<string, CacheTotal>, name: string, diagnosis: CacheDiagnosis): void {
  const key = map.has(name) || map.size < MOST_GROUPS ? name : OTHERS;
  map.set(key, plus(map.get(key) ?? EMPTY, diagnosis));
}

function plus(total: CacheTotal, { tokens, cost, cause }: CacheDiagnosis): CacheTotal {
  const isFree = cause === 'no-usage';
  const add = (sum: number | undefined, more: number | undefined) =>
    isFree ? sum : sum === undefined || more === undefined ? undefined : sum + more;
  return {
    requests: total.requests + 1,
    prompt: total.prompt + tokens.prompt,
    read: total.read + tokens.read,
    written: total.written + tokens.written,
    missed: total.missed + tokens.missed,
    paid: add(total.paid, cost?.paid),
    missedCost: add(total.missedCost, cost?.missed),
    saved: add(total.saved, cost?.saved),
  };
}
