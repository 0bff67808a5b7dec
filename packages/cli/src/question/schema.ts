import { readFile } from 'node:fs/promises';
import { isObject, type JsonObject } from '@skein/core';
import { UsageError } from '../output/output.ts';

const TYPES: Readonly<Record<string, string>> = { str: 'string', int: 'integer', float: 'number', bool: 'boolean' };

/**
 * Reads a schema: JSON, the name of a file with JSON Schema, or the concise form `name, age int, bio: a short one`. With
 * `isMany`, the answer is a list of such objects, as `items`.
 */
export async function readSchema(given: string, { isMany = false } = {}): Promise<JsonObject> {
  const schema = await readOne(given);
  if (!isMany) return schema;
  return { type: 'object', properties: { items: { type: 'array', items: schema } }, required: ['items'] };
}

async function readOne(given: string): Promise<JsonObject> {
  const text = given.trim();
  if (text.startsWith('{')) return parseSchema(text, 'The value of --schema');
  const isFile = /\.json$/i.test(text) || /^[.~]?[\\/]|^\.\.[\\/]/.test(text);
  if (isFile) return parseSchema(await readFile(text, 'utf8'), text);
  return conciseSchema(text);
}

function parseSchema(text: string, what: string): JsonObject {
  try {
    const value: unknown = JSON.parse(text);
    if (isObject(value)) return value as JsonObject;
  } catch {
    // Reported below.
  }
  throw new UsageError(`${what} is not a JSON Schema: it has to be a JSON object.`);
}

/**
 * The JSON Schema of the concise form: fields with commas or line ends between them, each a name, perhaps a type (`str`,
 * `int`, `float`, `bool`), and perhaps a colon with a description.
 */
export function conciseSchema(text: string): JsonObject {
  const fields = text
    .split(text.includes('\n') ? '\n' : ',')
    .map((field) => field.trim())
    .filter((field) => field !== '');
  const properties = Object.fromEntries(fields.map(readField));
  if (fields.length === 0) throw new UsageError('--schema is empty: write fields, such as "name, age int".');
  return { type: 'object', properties, required: Object.keys(properties) };
}

function readField(field: string): [string, JsonObject] {
  const [, head = '', description] = /^([^:]*)(?::\s*([\s\S]*))?$/.exec(field) ?? [];
  const [name = '', type = 'str', ...rest] = head.trim().split(/\s+/);
  const problem = !/^[\p{L}_][\p{L}\p{N}_-]*$/u.test(name)
    ? `"${name}" is not a name`
    : rest.length > 0
      ? `"${head.trim()}" has more than a name and a type`
      : Object.hasOwn(TYPES, type)
        ? undefined
        : `"${type}" is not a type: there are ${Object.keys(TYPES).join(', ')}`;
  if (problem !== undefined)
    throw new UsageError(
      `--schema: ${problem}. Write "name, age int, bio: a short one", JSON, or a file that ends in .json.`,
    );
  return [name, { type: TYPES[type]!, ...(description ? { description } : {}) }];
}
