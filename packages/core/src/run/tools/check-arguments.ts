import {
  endOfValue,
  findElements,
  findMembers,
  isObject,
  type JsonObject,
  parseJson,
  skipSpace,
} from '../../json/index.ts';
import type { CheckResult, Finding, StandardSchema } from './tool.ts';

/** Keywords that only say that something inside of them failed. */
const WRAPPERS = new Set(['properties', 'patternProperties', 'items', 'prefixItems', 'allOf', '$ref', '$dynamicRef']);

/** Checks arguments against a JSON Schema, and gives the input with its large integers exact. */
export function makeJsonSchemaCheck(schema: JsonObject): (text: string) => Promise<CheckResult<unknown>> {
  const place = schemaRoot(schema);
  const loaded = once(async () => {
    // Loaded on first use: whoever brings schemas of another kind need not carry it.
    const { Validator } = await import('@cfworker/json-schema');
    return new Validator(schema, '2020-12', false);
  });
  return async (text) => {
    const validator = await loaded();
    const hasLarge = mayHoldLargeIntegers(text);
    // The checker knows no other numbers than doubles.
    const seen = hasLarge
      ? exactValue(text, place, ({ place: at, isLarge }) => (isLarge && allowsType(at, 'string') ? 'digits' : 'number'))
      : parseJson(text);
    const { valid, errors } = validator.validate(seen);
    if (valid) return { value: hasLarge ? exactValue(text, place, toolForm) : seen };
    const telling = errors.filter(({ keyword }) => !WRAPPERS.has(keyword));
    return { issues: (telling.length > 0 ? telling : errors).map(toFinding) };
  };
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

function toFinding({ instanceLocation, error }: { instanceLocation: string; error: string }): Finding {
  const path = instanceLocation.split('/').slice(1);
  return path.length > 0 ? { message: error, path } : { message: error };
}

/**
 * Checks arguments by a Standard Schema. Such a schema does not tell which form of an integer it takes, so it is asked:
 * where it refuses an integer, it is given a `bigint`, and then, for a large one, its digits.
 */
export async function checkStandard<Output>(
  text: string,
  schema: StandardSchema<Output>,
  parameters: JsonObject,
): Promise<CheckResult<Output>> {
  const { validate } = schema['~standard'];
  const place = schemaRoot(parameters);
  const forms = new Map<string, IntegerForm>();
  const first = await validate(mayHoldLargeIntegers(text) ? exactValue(text, place, toolForm) : parseJson(text));
  let result = first;
  for (const form of ['bigint', 'digits'] as const) {
    if (!result.issues) return result;
    const refused = new Set(result.issues.map(toKey));
    let changed = false;
    const value = exactValue(text, place, (integer) => {
      const key = JSON.stringify(integer.path.map(String));
      if (refused.has(key) && (integer.isLarge || form === 'bigint')) {
        changed = true;
        forms.set(key, form);
      }
      return forms.get(key) ?? toolForm(integer);
    });
    if (!changed) return first;
    result = await validate(value);
  }
  return result.issues ? first : result;
}

function toKey({ path = [] }: Finding): string {
  return JSON.stringify(path.map((step) => String(isObject(step) ? step.key : step)));
}

/** Whether a JSON text may hold an integer that a double cannot: cheap, and mostly false. */
export function mayHoldLargeIntegers(text: string): boolean {
  return /\d{16}/.test(text);
}

/** An integer in a value. */
export interface IntegerAt {
  readonly place: SchemaPlace;
  readonly path: readonly (string | number)[];
  /** Outside of ±(2^53 − 1). */
  readonly isLarge: boolean;
}

/** What becomes of an integer; `number` rounds a large one, for checkers that know nothing else. */
export type IntegerForm = 'bigint' | 'digits' | 'number';

/** What a tool gets: large ones as `bigint` where the schema has an integer, else as their digits; others as numbers. */
export function toolForm({ place, isLarge }: IntegerAt): IntegerForm {
  if (!isLarge) return 'number';
  return allowsType(place, 'integer') ? 'bigint' : 'digits';
}

/** The value of a JSON text, in which each integer has the form that `chooseForm` gives it. */
export function exactValue(
  text: string,
  place: SchemaPlace,
  chooseForm: (integer: IntegerAt) => IntegerForm,
  path: IntegerAt['path'] = [],
  start = skipSpace(text, 0),
): unknown {
  if (text[start] === '{') {
    return Object.fromEntries(
      findMembers(text, start).map(({ name, start: at }) => [
        name,
        exactValue(text, inMember(place, name), chooseForm, [...path, name], at),
      ]),
    );
  }
  if (text[start] === '[') {
    return findElements(text, start).map((range, index) =>
      exactValue(text, inElement(place, index), chooseForm, [...path, index], range.start),
    );
  }
  const scalar = text.slice(start, endOfValue(text, start));
  const value: unknown = JSON.parse(scalar);
  if (typeof value !== 'number' || !/^-?\d+$/.test(scalar)) return value;
  const form = chooseForm({ place, path, isLarge: !Number.isSafeInteger(value) });
  if (form === 'number') return value;
  return form === 'bigint' ? BigInt(scalar) : scalar;
}

/** The schemas that may hold for one place in a value. */
export interface SchemaPlace {
  readonly root: JsonObject;
  readonly schemas: readonly JsonObject[];
}

export function schemaRoot(root: JsonObject): SchemaPlace {
  return { root, schemas: expand(root, root) };
}

export function inMember({ root, schemas }: SchemaPlace, name: string): SchemaPlace {
  const found = schemas.map(({ properties, additionalProperties }) =>
    isObject(properties) && Object.hasOwn(properties, name) ? properties[name] : additionalProperties,
  );
  return { root, schemas: found.flatMap((schema) => expand(schema, root)) };
}

export function inElement({ root, schemas }: SchemaPlace, index: number): SchemaPlace {
  const found = schemas.map(({ items, prefixItems }): unknown => {
    const listed: unknown = Array.isArray(prefixItems) ? prefixItems[index] : undefined;
    return listed ?? items;
  });
  return { root, schemas: found.flatMap((schema) => expand(schema, root)) };
}

export function allowsType({ schemas }: SchemaPlace, type: string): boolean {
  return schemas.some((schema) => schema.type === type || (Array.isArray(schema.type) && schema.type.includes(type)));
}

/** A schema and those it refers to or is made of. */
function expand(schema: unknown, root: JsonObject, depth = 0): readonly JsonObject[] {
  if (!isObject(schema) || depth > 8) return [];
  const { $ref, anyOf, oneOf, allOf } = schema;
  const referred = typeof $ref === 'string' && $ref.startsWith('#') ? [at(root, $ref)] : [];
  const inner = [...referred, ...[anyOf, oneOf, allOf].flatMap((list): unknown[] => (Array.isArray(list) ? list : []))];
  return [schema, ...inner.flatMap((one) => expand(one, root, depth + 1))];
}

function at(root: JsonObject, pointer: string): unknown {
  const steps = pointer.slice(1).split('/').slice(1);
  return steps.reduce<unknown>(
    (value, step) =>
      isObject(value) ? value[decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~')] : undefined,
    root,
  );
}
