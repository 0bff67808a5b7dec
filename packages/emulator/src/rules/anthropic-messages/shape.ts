/** Closed schemas that report issues as the API's own validation does: every unknown field is one, in the API's words. */

import { isObject, type Json } from '../../json.ts';

export interface Issue {
  readonly kind: 'extra' | 'required' | 'type';
  /** `messages.1.content.0.tool_use.text` */
  readonly path: string;
  readonly text: string;
  /** The `type` that no variant has. */
  readonly tag?: string;
}

export type Shape = (value: unknown, path: string) => readonly Issue[];
interface Optional {
  readonly optional: Shape;
}
export type Fields = Readonly<Record<string, Shape | Optional>>;

const at = (path: string, name: string | number): string => (path === '' ? `${name}` : `${path}.${name}`);

const wrong = (path: string, text: string): readonly Issue[] => [{ kind: 'type', path, text }];
const primitive =
  (type: string, text: string): Shape =>
  (value, path) =>
    typeof value === type ? [] : wrong(path, text);

export const string = primitive('string', 'Input should be a valid string');
export const number = primitive('number', 'Input should be a valid number');
export const boolean = primitive('boolean', 'Input should be a valid boolean');
export const choice =
  (...allowed: readonly string[]): Shape =>
  (value, path) => {
    const names = allowed.map((name) => `'${name}'`);
    const listed = names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`;
    return allowed.includes(value as string) ? [] : wrong(path, `Input should be ${listed}`);
  };
export const anything: Shape = () => [];
export const dictionary: Shape = (value, path) =>
  isObject(value) ? [] : wrong(path, 'Input should be a valid dictionary');

/** May be left out or null. */
export const optional = (shape: Shape): Optional => ({ optional: shape });

export const list =
  (shape: Shape): Shape =>
  (value, path) =>
    Array.isArray(value)
      ? value.flatMap((item, index) => shape(item, at(path, index)))
      : wrong(path, 'Input should be a valid list');

/** A string, or what the shape describes. */
export const stringOr =
  (shape: Shape): Shape =>
  (value, path) =>
    typeof value === 'string' ? [] : shape(value, path);

export const map =
  (shape: Shape): Shape =>
  (value, path) =>
    isObject(value)
      ? Object.entries(value).flatMap(([name, item]) => shape(item, at(path, name)))
      : wrong(path, 'Input should be a valid dictionary');

export const record =
  (fields: Fields): Shape =>
  (value, path) => {
    if (!isObject(value)) return wrong(path, 'Input should be a valid dictionary');
    return [...known(fields, value, path), ...extras(fields, value, path)];
  };

function known(fields: Fields, value: Json, path: string): Issue[] {
  return Object.entries(fields).flatMap(([name, field]) => {
    const item = value[name];
    if (typeof field !== 'function') {
      return item === undefined || item === null ? [] : field.optional(item, at(path, name));
    }
    return item === undefined
      ? [{ kind: 'required' as const, path: at(path, name), text: 'Field required' }]
      : field(item, at(path, name));
  });
}

function extras(fields: Fields, value: Json, path: string): Issue[] {
  return Object.keys(value)
    .filter((name) => !Object.hasOwn(fields, name))
    .map((name) => ({ kind: 'extra' as const, path: at(path, name), text: 'Extra inputs are not permitted' }));
}

/**
 * A union told apart by `type`; the tag becomes a part of the path, as in `content.0.tool_use.id`.
 * `fallback` is the tag of an object without `type` (custom tools).
 */
export const tagged = (variants: Readonly<Record<string, Fields>>, fallback?: string): Shape => {
  const shapes = new Map(Object.entries(variants).map(([tag, fields]) => [tag, record({ type: anything, ...fields })]));
  const untagged = fallback === undefined ? undefined : record(variants[fallback] ?? {});
  const expected = [...shapes.keys()].map((tag) => `'${tag}'`).join(', ');
  return (value, path) => {
    if (!isObject(value)) return wrong(path, 'Input should be a valid dictionary');
    const { type } = value;
    if (type === undefined) {
      return (
        untagged?.(value, at(path, fallback ?? '')) ?? [
          { kind: 'required', path: at(path, 'type'), text: 'Field required' },
        ]
      );
    }
    const shape = typeof type === 'string' ? shapes.get(type) : undefined;
    return (
      shape?.(value, at(path, `${type}`)) ?? [
        {
          kind: 'type',
          path,
          text: `Input tag '${type}' found using 'type' does not match any of the expected tags: ${expected}`,
          tag: `${type}`,
        },
      ]
    );
  };
};
