import { asText, eachObject, isObject, isSet, type Json } from '../../json.ts';
import type { JudgedRequest } from '../verdict.ts';
import { type Finding, missingParameter, unknownParameter, unsupportedValue, unsure } from './finding.ts';
import { type ApiDifferences, isExtraField } from './rule.ts';

/**
 * A closed schema. `closed('id! status~ size^ name', { name: inner })` names every allowed field:
 * `!` is required, `~` is required by the SDK's type but perhaps not by the API,
 * `^` is in replies but not in the SDK's request type; `inner` has the shapes of field values.
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
  readonly tag: (value: Json) => string | undefined;
  readonly variants: Readonly<Record<string, Shape>>;
}

type Mark = '' | '!' | '~' | '^';

interface Deviation {
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

export const byType = (variants: Tagged['variants']): Shape => tagged((value) => asText(value.type), variants);

/** Looks up own names only: a `type` may be any string, even `constructor`. */
export const findVariant = (variants: Tagged['variants'], tag: unknown): Shape | undefined =>
  typeof tag === 'string' && Object.hasOwn(variants, tag) ? variants[tag] : undefined;

/** Every deviation of a value from its shape. Unknown tags and wrong types have rules of their own. */
function* deviations(value: unknown, shape: Shape, path = ''): Iterable<Deviation> {
  if (shape === 'any') return;
  if (shape.kind === 'list') {
    if (!Array.isArray(value)) return;
    for (const [index, entry] of value.entries()) yield* deviations(entry, shape.of, `${path}[${index}]`);
    return;
  }
  if (!isObject(value)) return;
  if (shape.kind === 'tagged') {
    const variant = findVariant(shape.variants, shape.tag(value));
    if (variant !== undefined) yield* deviations(value, variant, path);
    return;
  }
  const at = (kind: Deviation['kind'], field: string): Deviation => {
    const full = path === '' ? field : `${path}.${field}`;
    const owner = asText(value.type) ?? asText(value.role) ?? '';
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

interface Closedness {
  readonly body: Json;
  readonly differences: ApiDifferences;
  readonly request: JudgedRequest;
}

const isOwn = ({ settings, memory }: JudgedRequest, name: string): boolean =>
  !settings?.refuseOwnFields && (memory?.ownField(name) ?? false);

/** Whether the provider itself invented this type. */
export const isOwnType = (request: JudgedRequest, type: unknown): boolean => isOwn(request, `:${type}`);

const knownAnyway = ({ differences, request }: Closedness, { plain, own }: Deviation): boolean =>
  isExtraField(differences, plain) || isOwn(request, own);

/** Compares the body, or one field of it, with a shape. */
const departures = (body: Json, shape: Shape, field: string | undefined) =>
  field === undefined ? deviations(body, shape) : deviations(body[field], shape, field);

/**
 * Fields outside a closed schema. The finding is unsure where there is no evidence that the API refuses them, and for
 * fields of replies that the request type lacks.
 */
export function* unknownFields(context: Closedness, shape: Shape, field?: string): Iterable<Finding> {
  for (const deviation of departures(context.body, shape, field)) {
    if (knownAnyway(context, deviation)) continue;
    if (deviation.kind === 'unknown') {
      const found = unknownParameter(deviation.path);
      // That the API refuses unknown fields of its settings was never seen, unlike those at the top and in items.
      const isSeen = field !== undefined || !deviation.plain.includes('.') || deviation.plain.startsWith('tools.');
      yield isSeen || context.request.settings?.refuseUnknown ? found : unsure(found);
    }
    if (deviation.kind === 'reply-only') yield unsure(unknownParameter(deviation.path));
  }
}

export function* missingFields({ body }: Closedness, shape: Shape, field?: string): Iterable<Finding> {
  for (const { kind, path } of departures(body, shape, field)) {
    if (kind === 'missing') yield missingParameter(path);
    if (kind === 'perhaps-missing') yield unsure(missingParameter(path));
  }
}

/** Tools without a type, or with an unknown one. */
export function* wrongToolTypes(
  { body, differences }: { readonly body: Json; readonly differences: ApiDifferences },
  shapes: Readonly<Record<string, Shape>>,
): Iterable<Finding> {
  for (const [index, { type }] of eachObject(body.tools)) {
    const param = `tools[${index}].type`;
    if (!isSet(type)) yield missingParameter(param);
    else if (findVariant(shapes, type) === undefined && !differences.extra?.includes(`tools:${type}`))
      yield unsupportedValue(param, type, Object.keys(shapes));
  }
}
