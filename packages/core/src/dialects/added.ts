import { type Dialect, type DialectSpec, makeDialect } from './dialect.ts';

/** The dialects that are not in the main entry, or come from outside. Apart from the others, so that one can be added alone. */
export const added = /* @__PURE__ */ new Map<string, Dialect>();

/** Makes a dialect and adds it. */
export function addDialect(spec: DialectSpec): Dialect {
  const made = makeDialect(spec);
  added.set(spec.id, made);
  return made;
}
