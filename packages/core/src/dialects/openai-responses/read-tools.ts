import { isObject, memberOf, parseJson, skipSpace } from '../../json/index.ts';
import type { ToolDefinition } from '../request.ts';
import { DIALECT } from './items.ts';

const FUNCTION_MEMBERS: ReadonlySet<string> = new Set(['type', 'name', 'description', 'parameters', 'strict']);

/** A function that says nothing only this API understands is a function anywhere; other tools stay in their own words. */
export function toolOf(text: string): ToolDefinition {
  const native: ToolDefinition = { dialect: DIALECT, native: text };
  const value = parseJson(text);
  if (!isObject(value) || value.type !== 'function' || typeof value.name !== 'string') return native;
  const isPlain = Object.keys(value).every((name) => FUNCTION_MEMBERS.has(name)) && value.strict !== true;
  if (!isPlain || !isObject(value.parameters)) return native;
  if (value.description !== undefined && typeof value.description !== 'string') return native;
  const parameters = memberOf(text, skipSpace(text, 0), 'parameters')!;
  return {
    name: value.name,
    ...(value.description !== undefined && { description: value.description }),
    parameters: text.slice(parameters.start, parameters.end),
  };
}
