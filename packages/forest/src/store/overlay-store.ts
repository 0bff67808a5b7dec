import type { Store } from './store.ts';

/** Every method of a store; the compiler finds what is missing. */
const METHODS = Object.keys({
  append: true,
  nodes: true,
  idsLike: true,
  path: true,
  children: true,
  childCounts: true,
  scan: true,
  deepest: true,
  byEcho: true,
  bodies: true,
  takes: true,
  refs: true,
  entry: true,
  entries: true,
  search: true,
  changes: true,
  watch: true,
  isAlive: true,
  problems: true,
  check: true,
  compact: true,
  close: true,
} satisfies Record<Exclude<keyof Store, 'writer'>, true>) as readonly Exclude<keyof Store, 'writer'>[];

/**
 * A store with some methods replaced. All others are called on the store itself: an object that inherits from it would
 * be another `this`, which a class with private fields refuses.
 */
export function overlayStore(store: Store, overlay: Partial<Store>): Store {
  const own = METHODS.map((name) => {
    const call = (...args: never[]): unknown => Reflect.apply(store[name], store, args);
    return [name, call] as const;
  });
  return { writer: store.writer, ...Object.fromEntries(own), ...overlay } as Store;
}
