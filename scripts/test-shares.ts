/**
 * How much of the random and combined cases a run tries: `npm test` a share that is the same every time, `npm run test:long`
 * all of them. Files that use this are in the list `SHARED_CASES` of `long-tests.mjs`.
 */
const isWhole = process.env.SKEIN_LONG === 'true';

/** How often a property is tried. */
export function runs(all: number): number {
  return isWhole ? all : Math.ceil(all / 8);
}

/** Every fifth case. Lists that are combined with each other give their own position as `turn`, so that each of their members has its turn. */
export function share<T>(cases: readonly T[], turn = 0): readonly T[] {
  return isWhole ? cases : cases.filter((_, at) => (at + turn) % 5 === 0);
}
