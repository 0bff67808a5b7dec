import { elementTexts, findMembers, isObject, parseJson, removeMembers, splice, textAt } from '../../json/index.ts';
import { addDialect } from '../added.ts';
import type { Dialect, DialectSpec, RawRequest } from '../dialect.ts';
import { ProtocolError } from '../reply.ts';
import { type RequestParams, readRest, readSimpleParams, type ToolDefinition } from '../request.ts';
import { awsEventStream } from './event-stream.ts';
import { bedrock, DIALECT } from './provider.ts';
import { readReply, view } from './read-response.ts';
import { assemble } from './read-stream.ts';
import { PARAM_NAMES } from './rules.ts';
import { writer } from './write-request.ts';

export const bedrockConverseSpec: DialectSpec = {
  id: DIALECT,
  home: bedrock,
  view,
  readReply,
  assemble,
  readRequest,
  writer,
  title: 'Bedrock Converse',
  endpoints: [{ operation: 'ask', method: 'POST', path: /\/model\/(?<model>[^/]+)\/converse(?:-stream)?$/ }],
  framing: awsEventStream,
  members: { messages: 'messages', system: ['system'], tools: 'toolConfig' },
  output: {
    schema: {
      body: (schema) => ({
        outputConfig: {
          textFormat: {
            type: 'json_schema',
            structure: { jsonSchema: { name: 'answer', schema: JSON.stringify(schema) } },
          },
        },
      }),
      closes: true,
      onlyClosed: true,
      without: [
        ...['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
        ...['minLength', 'maxLength', 'minItems', 'maxItems', 'uniqueItems'],
      ],
    },
  },
};

/**
 * Bedrock's Converse API, by which the models of all makers are asked in one form. A run that names a provider of it loads
 * it, and so does whoever imports this file.
 *
 * @example
 * const answer = await run({ model: 'bedrock/us.amazon.nova-lite-v1:0', messages: [user('Hello')] }).text;
 */
export const bedrockConverse: Dialect = addDialect(bedrockConverseSpec);

/** Reads a request body. The model is in the path of the request. */
function readRequest(body: string): RawRequest {
  const value = parseJson(body);
  if (!isObject(value) || !Array.isArray(value.messages))
    throw new ProtocolError(DIALECT, 'the request has no list of "messages"', body);
  const config = readConfig(body, value.inferenceConfig);
  const tools = readTools(body, value.toolConfig);
  const system = Array.isArray(value.system) && value.system.length > 0 ? textAt(body, ['system'])! : undefined;
  return {
    model: undefined,
    system: system === undefined ? undefined : `{"role":"system","content":${system}}`,
    messages: elementTexts(textAt(body, ['messages'])!),
    tools: tools.tools,
    params: { ...config.params, ...tools.params },
    rest: {
      ...readRest(body, ['messages', ...(system ? ['system'] : []), ...config.taken, ...tools.taken]),
      ...config.left,
      ...tools.left,
    },
  };
}

interface MemberParts {
  readonly params: RequestParams;
  readonly taken: readonly string[];
  /** What is left of the member when the parameters are taken out. */
  readonly left: Readonly<Record<string, string>>;
}

function readConfig(body: string, value: unknown): MemberParts {
  const { params, taken } = readSimpleParams(isObject(value) ? value : {}, PARAM_NAMES);
  return taken.length === 0
    ? { params, taken: [], left: {} }
    : { params, taken: ['inferenceConfig'], left: withoutMembers(body, 'inferenceConfig', taken) };
}

function readTools(body: string, value: unknown): MemberParts & { readonly tools: readonly ToolDefinition[] } {
  if (!isObject(value) || !Array.isArray(value.tools)) return { tools: [], params: {}, taken: [], left: {} };
  const toolChoice = readChoice(value.toolChoice);
  const names = ['tools', ...(toolChoice ? ['toolChoice'] : [])];
  return {
    tools: elementTexts(textAt(body, ['toolConfig', 'tools'])!).map(readTool),
    params: toolChoice ? { toolChoice } : {},
    taken: ['toolConfig'],
    left: withoutMembers(body, 'toolConfig', names),
  };
}

/** The text of a member without some of its own; absent if nothing is left. */
function withoutMembers(body: string, name: string, taken: readonly string[]): Record<string, string> {
  const text = textAt(body, [name])!;
  if (findMembers(text).every((member) => taken.includes(member.name))) return {};
  const edits = removeMembers(text, 0, (member) => taken.includes(member));
  return { [name]: splice(text, edits) };
}

function readChoice(value: unknown): RequestParams['toolChoice'] {
  const text = JSON.stringify(value);
  if (text === '{"auto":{}}') return 'auto';
  if (text === '{"any":{}}') return 'required';
  const name = isObject(value) && isObject(value.tool) && Object.keys(value).length === 1 ? value.tool.name : undefined;
  return typeof name === 'string' && text === `{"tool":{"name":${JSON.stringify(name)}}}` ? { name } : undefined;
}

/** A tool with a name, a description and a schema is a function; any other stays in its own words. */
function readTool(text: string): ToolDefinition {
  const native: ToolDefinition = { dialect: DIALECT, native: text };
  const value = parseJson(text);
  const spec = isObject(value) && Object.keys(value).length === 1 ? value.toolSpec : undefined;
  if (!isObject(spec) || !isObject(spec.inputSchema) || !isObject(spec.inputSchema.json)) return native;
  const { name, description, inputSchema, strict: _, ...others } = spec;
  const isPlain =
    Object.keys(others).length === 0 && Object.keys(inputSchema as object).length === 1 && spec.strict !== true;
  if (!isPlain || typeof name !== 'string' || (description !== undefined && typeof description !== 'string'))
    return native;
  const parameters = textAt(text, ['toolSpec', 'inputSchema', 'json'])!;
  return description === undefined ? { name, parameters } : { name, description, parameters };
}
