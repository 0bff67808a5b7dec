import {
  elementTexts,
  isObject,
  type JsonObject,
  memberOf,
  membersOf,
  parseJson,
  skipSpace,
  textAt,
} from '../../json/index.ts';
import type { RawRequest } from '../dialect.ts';
import { ProtocolError } from '../reply.ts';
import type { RequestParams, ToolDefinition } from '../request.ts';

export function readRequest(body: string): RawRequest {
  const value = parseJson(body);
  if (!isObject(value) || !Array.isArray(value.messages))
    throw new ProtocolError('openai-chat', 'the request has no "messages"', body);
  const known = new Map<string, RequestParams>();
  for (const [name, read] of Object.entries(PARAMS)) {
    const params = read(value[name]);
    if (params) known.set(name, params);
  }
  // Only one of the two limits fits; the other stays as it is.
  if (known.has('max_completion_tokens')) known.delete('max_tokens');
  const taken = new Set(['model', 'messages', ...(Array.isArray(value.tools) ? ['tools'] : []), ...known.keys()]);
  const rest = membersOf(body).filter((member) => !taken.has(member.name));
  return {
    model: typeof value.model === 'string' ? value.model : undefined,
    system: undefined,
    messages: elementTexts(body, memberOf(body, skipSpace(body, 0), 'messages')!.start),
    tools: Array.isArray(value.tools) ? elementTexts(textAt(body, ['tools'])!).map(toolOf) : [],
    params: Object.assign({}, ...known.values()) as RequestParams,
    rest: Object.fromEntries(rest.map((member) => [member.name, body.slice(member.start, member.end)])),
  };
}

/** Each parameter this version understands, by its name; undefined leaves the member in `rest`. */
const PARAMS: Readonly<Record<string, (value: unknown) => RequestParams | undefined>> = {
  max_completion_tokens: (value) => (typeof value === 'number' ? { maxTokens: value } : undefined),
  max_tokens: (value) => (typeof value === 'number' ? { maxTokens: value } : undefined),
  temperature: (value) => (typeof value === 'number' ? { temperature: value } : undefined),
  top_p: (value) => (typeof value === 'number' ? { topP: value } : undefined),
  stop: stopWords,
  // A larger number than a double can hold stays in `rest`, where its text is exact.
  seed: (value) => (Number.isSafeInteger(value) ? { seed: value as number } : undefined),
  stream: (value) => (typeof value === 'boolean' ? { stream: value } : undefined),
  tool_choice: toolChoice,
  parallel_tool_calls: (value) => (typeof value === 'boolean' ? { parallelToolCalls: value } : undefined),
  reasoning_effort: (value) => (typeof value === 'string' ? { reasoning: { effort: value } } : undefined),
};

function stopWords(value: unknown): RequestParams | undefined {
  if (typeof value === 'string') return { stop: [value] };
  const words = Array.isArray(value) ? value.filter((word): word is string => typeof word === 'string') : [];
  return Array.isArray(value) && words.length === value.length ? { stop: words } : undefined;
}

function toolChoice(value: unknown): RequestParams | undefined {
  if (value === 'auto' || value === 'none' || value === 'required') return { toolChoice: value };
  if (!isObject(value) || value.type !== 'function' || !isObject(value.function)) return undefined;
  const { name } = value.function;
  return typeof name === 'string' ? { toolChoice: { name } } : undefined;
}

/** A function tool with nothing but name, description and parameters; any other keeps its own words. */
function toolOf(text: string): ToolDefinition {
  const native: ToolDefinition = { dialect: 'openai-chat', native: text };
  const tool = parseJson(text);
  if (!isObject(tool) || tool.type !== 'function' || !hasOnly(tool, ['type', 'function'])) return native;
  const { function: called } = tool;
  if (!isObject(called) || !hasOnly(called, ['name', 'description', 'parameters'])) return native;
  const { name, description, parameters } = called;
  if (typeof name !== 'string' || !isObject(parameters)) return native;
  if (description !== undefined && typeof description !== 'string') return native;
  return {
    name,
    ...(description !== undefined && { description }),
    parameters: textAt(text, ['function', 'parameters'])!,
  };
}

function hasOnly(object: JsonObject, names: readonly string[]): boolean {
  return Object.keys(object).every((name) => names.includes(name));
}
