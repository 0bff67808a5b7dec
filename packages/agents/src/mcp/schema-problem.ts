import { isRecord } from '../files/shape.ts';

const TYPES = new Set(['object', 'array', 'string', 'number', 'integer', 'boolean', 'null']);
const MAX_DEPTH = 40;

/**
 * What is wrong with a schema that a server gave; undefined when models can be shown it. One bad schema would make
 * a provider refuse the whole request, with all other tools.
 */
export function schemaProblem(schema: unknown): string | undefined {
  if (!isRecord(schema)) return 'its input schema is not an object';
  if (schema.type !== 'object') return 'its input schema is not one of an object';
  return inside(schema, 0);
}

function inside(schema: unknown, depth: number): string | undefined {
  if (typeof schema === 'boolean') return undefined;
  if (!isRecord(schema)) return 'its input schema holds something that is no schema';
  if (depth > MAX_DEPTH) return 'its input schema is too deep';
  return ownProblem(schema) ?? childProblem(schema, depth + 1);
}

function ownProblem({ type, required, pattern, enum: choices }: Readonly<Record<string, unknown>>): string | undefined {
  const types = type === undefined ? [] : Array.isArray(type) ? type : [type];
  if (!types.every((one) => TYPES.has(one as string))) return 'its input schema names a type that does not exist';
  if (required !== undefined && !isTexts(required)) return '"required" in its input schema is no list of names';
  if (choices !== undefined && !Array.isArray(choices)) return '"enum" in its input schema is no list';
  if (pattern !== undefined && !isPattern(pattern)) return '"pattern" in its input schema is no regular expression';
  return undefined;
}

function childProblem(schema: Readonly<Record<string, unknown>>, depth: number): string | undefined {
  const children: unknown[] = [];
  for (const key of ['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas']) {
    const value = schema[key];
    if (value === undefined) continue;
    if (!isRecord(value)) return `"${key}" in its input schema has no names`;
    children.push(...Object.values(value));
  }
  for (const key of ['anyOf', 'oneOf', 'allOf', 'prefixItems']) {
    const value = schema[key];
    if (value === undefined) continue;
    if (!Array.isArray(value)) return `"${key}" in its input schema is no list`;
    children.push(...value);
  }
  for (const key of ['items', 'additionalProperties', 'not', 'contains', 'if', 'then', 'else', 'propertyNames'])
    if (schema[key] !== undefined) children.push(...(Array.isArray(schema[key]) ? schema[key] : [schema[key]]));
  for (const child of children) {
    const problem = inside(child, depth);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((one) => typeof one === 'string');
}

function isPattern(value: unknown): boolean {
  try {
    new RegExp(value as string, 'u');
    return typeof value === 'string';
  } catch {
    return false;
  }
}
