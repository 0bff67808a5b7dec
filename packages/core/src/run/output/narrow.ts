import type { SchemaFormat } from '../../dialects/index.ts';
import { isObject, type JsonObject } from '../../json/index.ts';

/** Keywords that hold a schema, a list of schemas, or schemas by name. */
const HOLDERS = new Set([
  ...['items', 'additionalProperties', 'not', 'contains', 'if', 'then', 'else', 'propertyNames'],
  ...['anyOf', 'oneOf', 'allOf', 'prefixItems'],
]);
const MAPS = new Set(['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas']);

/** What OpenAI takes in a strict schema. */
const STRICT = new Set([
  ...['type', 'properties', 'required', 'additionalProperties', 'items', 'enum', 'const', 'anyOf', '$ref', '$defs'],
  ...['definitions', 'title', 'description', 'pattern', 'format', 'multipleOf', 'minimum', 'maximum'],
  ...['exclusiveMinimum', 'exclusiveMaximum', 'minItems', 'maxItems'],
]);

/** A schema as a provider takes it. What follows it may still break the one it was made from, and is checked by that. */
export function narrow(schema: JsonObject, way: Pick<SchemaFormat, 'closes' | 'without'>): JsonObject {
  const closes = way.closes && isObject(schema.properties) && schema.additionalProperties === undefined;
  const kept = Object.entries(schema).filter(([keyword]) => !way.without.includes(keyword));
  const narrowed = kept.map(([keyword, value]) => [
    keyword,
    // The members of `allOf` describe one object together: closed one by one, they would shut each other out.
    inside(keyword, value, (inner) => narrow(inner, keyword === 'allOf' ? { ...way, closes: false } : way)),
  ]);
  return { ...Object.fromEntries(narrowed), ...(closes && { additionalProperties: false }) };
}

/** Whether no object may have properties that the schema does not name. */
export function isClosed(schema: JsonObject): boolean {
  return everySchema(schema, (one) => !describesObject(one) || one.additionalProperties === false);
}

/** Whether OpenAI can hold a model to it: closed, every property required, and no keyword that it refuses there. */
export function isStrict(schema: JsonObject): boolean {
  return everySchema(schema, (one) => {
    if (!Object.keys(one).every((keyword) => STRICT.has(keyword))) return false;
    if (!describesObject(one)) return true;
    const required: readonly unknown[] = Array.isArray(one.required) ? one.required : [];
    const names = isObject(one.properties) ? Object.keys(one.properties) : [];
    return one.additionalProperties === false && names.every((name) => required.includes(name));
  });
}

function describesObject({ type, properties }: JsonObject): boolean {
  return properties !== undefined || type === 'object' || (Array.isArray(type) && type.includes('object'));
}

function everySchema(schema: JsonObject, holds: (schema: JsonObject) => boolean): boolean {
  let all = holds(schema);
  for (const [keyword, value] of Object.entries(schema))
    inside(keyword, value, (inner) => {
      all &&= everySchema(inner, holds);
      return inner;
    });
  return all;
}

/** The value of a keyword, with the schemas directly inside of it changed. */
function inside(keyword: string, value: unknown, change: (schema: JsonObject) => JsonObject): unknown {
  const changed = (one: unknown) => (isObject(one) ? change(one) : one);
  if (MAPS.has(keyword) && isObject(value))
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, changed(one)]));
  if (!HOLDERS.has(keyword)) return value;
  return Array.isArray(value) ? value.map(changed) : changed(value);
}
