import { isObject, type JsonObject, skipSpace } from '../../json/index.ts';
import type { ToolDefinition } from '../request.ts';
import { field, fieldText, isField, listTexts, stringField } from './fields.ts';
import { google } from './provider.ts';

/** Function declarations one by one; every other tool in its own words. */
export function readTools(texts: readonly string[]): readonly ToolDefinition[] {
  return texts.flatMap((text): readonly ToolDefinition[] => {
    const tool: unknown = JSON.parse(text);
    const isDeclaring = isObject(tool) && Object.keys(tool).every((name) => isField(name, 'functionDeclarations'));
    const list = isDeclaring ? fieldText(text, skipSpace(text, 0), 'functionDeclarations') : undefined;
    return list === undefined ? [native(text)] : listTexts(list, 0).map(declared);
  });
}

function native(text: string): ToolDefinition {
  return { dialect: google.dialect, native: text };
}

/** A declaration that says more than a function tool can hold stays in its own words. */
function declared(text: string): ToolDefinition {
  const value: unknown = JSON.parse(text);
  const name = isObject(value) ? stringField(value, 'name') : undefined;
  if (!isObject(value) || name === undefined || !Object.keys(value).every(isPlain))
    return native(`{"functionDeclarations":[${text}]}`);
  const description = stringField(value, 'description');
  return { name, ...(description !== undefined && { description }), parameters: parametersOf(text, value) };
}

function isPlain(name: string): boolean {
  return ['name', 'description', 'parameters', 'parametersJsonSchema'].some((known) => isField(name, known));
}

function parametersOf(text: string, value: JsonObject): JsonObject | string {
  const schema = fieldText(text, 0, 'parametersJsonSchema');
  if (schema !== undefined) return schema;
  const parameters = field(value, 'parameters');
  if (!isObject(parameters)) return '{"type":"object","properties":{}}';
  const standard = jsonSchema(parameters) as JsonObject;
  return JSON.stringify(standard) === JSON.stringify(parameters) ? fieldText(text, 0, 'parameters')! : standard;
}

/** Google's own schema differs from JSON Schema in its type names and in `nullable`. */
function jsonSchema(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(jsonSchema);
  if (!isObject(schema)) return schema;
  const { nullable, ...others } = schema;
  const entries = Object.entries(others).map(([name, value]): [string, unknown] => {
    if (name === 'type' && typeof value === 'string') {
      const type = value.toLowerCase();
      return [name, nullable === true ? [type, 'null'] : type];
    }
    if (name === 'properties' && isObject(value))
      return [name, Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, jsonSchema(inner)]))];
    return [name, ['items', 'anyOf', 'any_of'].includes(name) ? jsonSchema(value) : value];
  });
  return Object.fromEntries(entries.map(([name, value]) => [name === 'any_of' ? 'anyOf' : name, value]));
}
