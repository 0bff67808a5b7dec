import { elementTexts, isObject, type JsonObject, membersOf, parseJson, skipSpace, textAt } from '../../json/index.ts';
import type { RawRequest } from '../dialect.ts';
import { ProtocolError } from '../reply.ts';
import type { ToolDefinition } from '../request.ts';
import { DIALECT } from './provider.ts';
import { readParams } from './read-params.ts';

/** What a request body says. Every top-level member is in exactly one place of the answer. */
export function readRequest(body: string): RawRequest {
  const value = parseJson(body);
  if (!isObject(value) || !Array.isArray(value.messages))
    throw new ProtocolError(DIALECT, 'the request has no list of "messages"', body);
  const texts = new Map(
    membersOf(body, skipSpace(body, 0)).map((member) => [member.name, body.slice(member.start, member.end)]),
  );
  const { params, taken } = readParams(value);
  const system = value.system === null ? undefined : texts.get('system');
  const read = new Set(['messages', 'model', 'system', 'tools', ...taken]);
  return {
    model: typeof value.model === 'string' ? value.model : undefined,
    system: system === undefined ? undefined : `{"role":"system","content":${system}}`,
    messages: elementTexts(texts.get('messages')!),
    tools: Array.isArray(value.tools) ? readTools(texts.get('tools')!, value.tools) : [],
    params,
    rest: Object.fromEntries([...texts].filter(([name]) => !read.has(name))),
  };
}

function readTools(text: string, values: readonly unknown[]): ToolDefinition[] {
  return elementTexts(text).map((native, index) => {
    const value = values[index];
    return (isObject(value) ? functionTool(native, value) : undefined) ?? { dialect: DIALECT, native };
  });
}

/** A tool that says nothing which other dialects have no word for. */
function functionTool(native: string, value: JsonObject): ToolDefinition | undefined {
  const { name, description, input_schema: schema, type, ...more } = value;
  const isPlain = (type === undefined || type === 'custom') && Object.keys(more).length === 0;
  if (!isPlain || typeof name !== 'string' || !isObject(schema)) return undefined;
  if (description !== undefined && typeof description !== 'string') return undefined;
  const parameters = textAt(native, ['input_schema'])!;
  return description === undefined ? { name, parameters } : { name, description, parameters };
}
