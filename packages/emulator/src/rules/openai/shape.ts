import { type Fields, isFields, isSet, text } from './values.ts';

/**
 * A closed schema. `closed('id! status~ size^ name', { name: inner })` names every allowed field:
 * `!` is required, `~` is required by the SDK type but not known to be by the API,
 * `^` stands in replies but not in the SDK's request type; `inner` closes the value of a field.
 */
export type Shape = Closed | List | Tagged | 'any';

interface Closed {
  readonly kind: 'closed';
  readonly marks: ReadonlyMap<string, Mark>;
  readonly inner: Readonly<Record<string, Shape>>;
}

interface List {
  readonly kind: 'list';
  readonly of: Shape;
}

interface Tagged {
  readonly kind: 'tagged';
  readonly tag: (value: Fields) => string | undefined;
  readonly variants: Readonly<Record<string, Shape>>;
}

type Mark = '' | '!' | '~' | '^';

export interface Deviation {
  readonly kind: 'unknown' | 'missing' | 'perhaps-missing' | 'reply-only';
  /** `messages[1].tool_calls[0].index` */
  readonly path: string;
  /** The path without indices: `messages.tool_calls.index`. */
  readonly plain: string;
  /** `<type or role of the object>.<field>`, the name by which a provider remembers its own fields. */
  readonly own: string;
}

export function closed(fields: string, inner: Readonly<Record<string, Shape>> = {}): Shape {
  const marks = new Map<string, Mark>();
  for (const [, name = '', mark = ''] of fields.matchAll(/(\w+)([!~^]?)/g)) marks.set(name, mark as Mark);
  return { kind: 'closed', marks, inner };
}

export const list = (of: Shape): Shape => ({ kind: 'list', of });

export const tagged = (tag: Tagged['tag'], variants: Tagged['variants']): Shape => ({ kind: 'tagged', tag, variants });

export const byType = (variants: Tagged['variants']): Shape => tagged((value) => text(value.type), variants);

/** Own names only: a `type` may be any string, `constructor` too. */
export const variantOf = (variants: Tagged['variants'], tag: unknown): Shape | undefined =>
  typeof tag === 'string' && Object.hasOwn(variants, tag) ? variants[tag] : undefined;

/** Every place where a value departs from its shape. Unknown tags and wrong types have rules of their own. */
export function* deviations(value: unknown, shape: Shape, path = ''): Iterable<Deviation> {
  if (shape === 'any') return;
  if (shape.kind === 'list') {
    if (!Array.isArray(value)) return;
    for (const [index, entry] of value.entries()) yield* deviations(entry, shape.of, `${path}[${index}]`);
    return;
  }
  if (!isFields(value)) return;
  if (shape.kind === 'tagged') {
    const variant = variantOf(shape.variants, shape.tag(value));
    if (variant !== undefined) yield* deviations(value, variant, path);
    return;
  }
  const at = (kind: Deviation['kind'], field: string): Deviation => {
    const full = path === '' ? field : `${path}.${field}`;
    const owner = text(value.type) ?? text(value.role) ?? '';
    return { kind, path: full, plain: full.replaceAll(/\[\d+\]/g, ''), own: `${owner}.${field}` };
  };
  for (const field of Object.keys(value)) {
    const mark = shape.marks.get(field);
    if (mark === undefined) yield at('unknown', field);
    else if (mark === '^') yield at('reply-only', field);
  }
  for (const [field, mark] of shape.marks) {
    if (mark === '!' && !isSet(value[field])) yield at('missing', field);
    if (mark === '~' && value[field] === undefined) yield at('perhaps-missing', field);
  }
  for (const [field, inner] of Object.entries(shape.inner)) {
    yield* deviations(value[field], inner, path === '' ? field : `${path}.${field}`);
  }
}
