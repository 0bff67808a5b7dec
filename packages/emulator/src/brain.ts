/** Brains answer the requests for which no reply is queued; they see every protocol's requests in one form. */
import { asText, isObject, type Json, objects, parseJson, stringify } from './json.ts';
import type { Protocol } from './protocol.ts';
import { type ScriptedReply, says } from './reply.ts';
import { toMessagesBody } from './rules/bedrock-converse/claude.ts';
import { inputSteps, stepResults } from './rules/google-interactions/context.ts';

/** A tool that the request offers. */
export interface OfferedTool {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of its arguments. */
  readonly schema: Json;
}

/** The result of an earlier call, with the name of its tool. */
export interface ToolResult {
  readonly name: string | undefined;
  readonly text: string;
}

/** A request of any protocol, reduced to what a brain needs. */
export interface BrainRequest {
  readonly protocol: Protocol;
  readonly issuer: string;
  readonly model: string;
  readonly stream: boolean;
  /** How often exactly these bytes were sent before: 0 for the first time. */
  readonly attempt: number;
  readonly body: Json;
  /** The user's last text. */
  readonly text: string;
  readonly tools: readonly OfferedTool[];
  /** The name of the tool that must be called, or true when any tool must be. */
  readonly forced: string | true | undefined;
  /** The JSON Schema that the answer must follow. */
  readonly format: Json | undefined;
  /** Tool results after that text. */
  readonly results: readonly ToolResult[];
  /** Whether the request asks for readable thinking. */
  readonly thinking: boolean;
}

/**
 * Answers the requests for which no reply is queued.
 *
 * @example
 * const shout: Brain = ({ text }) => says(text.toUpperCase());
 * const emulator = await startEmulator({ brain: shout });
 */
export type Brain = (request: BrainRequest) => ScriptedReply | Promise<ScriptedReply>;

/** Repeats the user's text, or the tool results after it: `Echo: Hello`. */
export const echoBrain: Brain = ({ text, results, body }) => {
  const reply = says(
    results.length > 0 ? `Tool results: ${results.map((result) => result.text).join(', ')}` : `Echo: ${text}`,
  );
  const count = countChoices(body);
  return count > 1 ? { ...reply, alternatives: Array.from({ length: count - 1 }, () => reply.blocks) } : reply;
};

/** `n` of Chat Completions, `candidateCount` of Gemini. */
function countChoices(body: Json): number {
  if (!isObject(body)) return 1;
  const config = isObject(body.generationConfig) ? body.generationConfig : {};
  const count = body.n ?? config.candidateCount;
  return typeof count === 'number' ? Math.min(count, 128) : 1;
}

type RequestView = Pick<BrainRequest, 'text' | 'tools' | 'forced' | 'format' | 'results' | 'thinking'>;

/** One turn of the conversation: its text and its tool results. */
interface TurnSummary {
  readonly role: 'user' | 'model' | 'tool';
  readonly text: string;
  readonly results?: readonly ToolResult[];
}

const joined = (parts: unknown): string =>
  typeof parts === 'string'
    ? parts
    : objects(parts)
        .flatMap(({ text }) => asText(text) ?? [])
        .join('\n');

/** The user's last text, and the tool results after it. */
function lastTurn(conversation: readonly TurnSummary[]): Pick<RequestView, 'text' | 'results'> {
  const start = conversation.findLastIndex(({ role, text }) => role === 'user' && text.trim() !== '');
  const after = conversation.slice(Math.max(0, start));
  return { text: conversation[start]?.text ?? '', results: after.flatMap(({ results = [] }) => results) };
}

const offer = (name: unknown, description: unknown, schema: unknown): readonly OfferedTool[] =>
  typeof name === 'string'
    ? [{ name, description: asText(description) ?? '', schema: isObject(schema) ? schema : {} }]
    : [];

/** The object at the end of a path. */
function below(value: unknown, ...path: readonly string[]): Json | undefined {
  const found = path.reduce<unknown>((at, name) => (isObject(at) ? at[name] : undefined), value);
  return isObject(found) ? found : undefined;
}

function anthropic(body: Json): RequestView {
  const { messages, tools, tool_choice: choice, thinking } = body;
  const list = objects(messages);
  const names = new Map(
    list.flatMap(({ content }) => objects(content)).map(({ id, name }) => [id, asText(name)] as const),
  );
  const conversation = list.map(({ role, content }): TurnSummary => {
    const results = objects(content)
      .filter(({ type }) => type === 'tool_result')
      .map((result) => ({ name: names.get(result.tool_use_id), text: joined(result.content) }));
    return { role: role === 'user' ? 'user' : 'model', text: joined(content), results };
  });
  const kind = isObject(choice) ? choice.type : undefined;
  return {
    ...lastTurn(conversation),
    tools:
      kind === 'none' ? [] : objects(tools).flatMap((tool) => offer(tool.name, tool.description, tool.input_schema)),
    forced: isObject(choice) && kind === 'tool' ? asText(choice.name) : kind === 'any' || undefined,
    format: below(body, 'output_config', 'format', 'schema') ?? below(body, 'output_format', 'schema'),
    thinking: isObject(thinking) && ['enabled', 'adaptive'].includes(`${thinking.type}`),
  };
}

const openAIForced = (choice: unknown): string | true | undefined => {
  if (choice === 'required') return true;
  if (!isObject(choice) || choice.type !== 'function') return undefined;
  return asText(choice.name) ?? (isObject(choice.function) ? asText(choice.function.name) : undefined);
};

function chat(body: Json): RequestView {
  const { messages, tools, tool_choice: choice, model } = body;
  const list = objects(messages);
  const names = new Map(
    list
      .flatMap((message) => objects(message.tool_calls))
      .map((call) => [call.id, isObject(call.function) ? asText(call.function.name) : undefined] as const),
  );
  const conversation = list.map(({ role, content, tool_call_id: id }): TurnSummary => {
    const text = joined(content);
    if (role === 'tool') return { role: 'tool', text: '', results: [{ name: names.get(id), text }] };
    return { role: role === 'user' ? 'user' : 'model', text };
  });
  const functions = objects(tools).map((tool) => (isObject(tool.function) ? tool.function : {}));
  return {
    ...lastTurn(conversation),
    tools: choice === 'none' ? [] : functions.flatMap((tool) => offer(tool.name, tool.description, tool.parameters)),
    forced: openAIForced(choice),
    format: below(body, 'response_format', 'json_schema', 'schema'),
    // In this API only models of compatible providers show their thinking.
    thinking: /deepseek|glm|kimi|qwen|demo/.test(`${model}`),
  };
}

function responses(body: Json): RequestView {
  const { input, tools, tool_choice: choice, reasoning } = body;
  const items = typeof input === 'string' ? [{ role: 'user', content: input }] : objects(input);
  const names = new Map(items.map((item) => [item.call_id, asText(item.name)] as const).filter(([, name]) => name));
  const conversation = items.map(({ type, role, content, call_id: id, output }): TurnSummary => {
    if (`${type}`.endsWith('_output')) {
      return { role: 'tool', text: '', results: [{ name: names.get(id), text: joined(output) }] };
    }
    return { role: role === 'user' ? 'user' : 'model', text: joined(content) };
  });
  return {
    ...lastTurn(conversation),
    tools:
      choice === 'none'
        ? []
        : objects(tools)
            .filter(({ type }) => type === 'function')
            .flatMap((tool) => offer(tool.name, tool.description, tool.parameters)),
    forced: openAIForced(choice),
    format: below(body, 'text', 'format', 'schema'),
    thinking: isObject(reasoning),
  };
}

function interactions(body: Json): RequestView {
  const { tools, generation_config: config, response_format: format } = body;
  const steps = inputSteps(body.input);
  const names = new Map(steps.map(({ id, name }) => [id, asText(name)] as const));
  const conversation = steps.map((step): TurnSummary => {
    const results = stepResults(step).map(({ call_id: id, name, result }) => ({
      name: asText(name) ?? names.get(id),
      text: typeof result === 'string' ? result : Array.isArray(result) ? joined(result) : stringify(result),
    }));
    const role = step.type === 'user_input' ? 'user' : step.type === 'function_result' ? 'tool' : 'model';
    return { role, text: joined(step.content), results };
  });
  const { tool_choice: choice, thinking_summaries: summaries } = isObject(config) ? config : {};
  const allowed = below(choice, 'allowed_tools');
  const [only, ...others] = Array.isArray(allowed?.tools) ? allowed.tools : [];
  const named = allowed?.mode === 'any' && others.length === 0 ? asText(only) : undefined;
  return {
    ...lastTurn(conversation),
    tools:
      choice === 'none'
        ? []
        : objects(tools)
            .filter(({ type }) => type === 'function')
            .flatMap((tool) => offer(tool.name, tool.description, tool.parameters)),
    forced: named ?? (choice === 'any' || allowed?.mode === 'any' || undefined),
    format: below(Array.isArray(format) ? objects(format).find(({ schema }) => schema) : format, 'schema'),
    thinking: summaries === 'auto',
  };
}

/** Proto JSON: both spellings of a name. */
const field = (value: Json, camel: string, snake: string): unknown => value[camel] ?? value[snake];

function google(body: Json): RequestView {
  const conversation = objects(body.contents).map(({ role, parts }): TurnSummary => {
    const results = objects(parts).flatMap((part) => {
      const answer = field(part, 'functionResponse', 'function_response');
      return isObject(answer) ? [{ name: asText(answer.name), text: stringify(answer.response ?? {}) }] : [];
    });
    return { role: role === 'model' ? 'model' : 'user', text: joined(parts), results };
  });
  const tools = Array.isArray(body.tools) ? objects(body.tools) : [body.tools].filter(isObject);
  const config = field(body, 'toolConfig', 'tool_config');
  const calling = isObject(config) ? field(config, 'functionCallingConfig', 'function_calling_config') : undefined;
  const mode = isObject(calling) ? calling.mode : undefined;
  const generation = field(body, 'generationConfig', 'generation_config');
  const thinking = isObject(generation) ? field(generation, 'thinkingConfig', 'thinking_config') : undefined;
  const declared = tools.flatMap((tool) => objects(field(tool, 'functionDeclarations', 'function_declarations')));
  return {
    ...lastTurn(conversation),
    tools:
      mode === 'NONE'
        ? []
        : declared.flatMap((tool) =>
            offer(
              tool.name,
              tool.description,
              field(tool, 'parametersJsonSchema', 'parameters_json_schema') ?? tool.parameters,
            ),
          ),
    forced: mode === 'ANY' || undefined,
    format:
      below(generation, 'responseJsonSchema') ??
      below(generation, 'response_json_schema') ??
      below(generation, 'responseSchema') ??
      below(generation, 'response_schema'),
    thinking: isObject(thinking) && field(thinking, 'includeThoughts', 'include_thoughts') === true,
  };
}

/** Reads what a brain needs from a request body. */
export const requestViews: Readonly<Record<Protocol, (body: Json) => RequestView>> = {
  'anthropic-messages': anthropic,
  'openai-chat': chat,
  'openai-responses': responses,
  'google-generatecontent': google,
  'bedrock-converse': (body) => anthropic(withFormat(body)),
  'cohere-chat': (body) => chat({ ...body, tool_choice: `${body.tool_choice ?? ''}`.toLowerCase() }),
  'google-interactions': interactions,
};

/** The request as Messages, and the schema that the answer must follow, which is a text here. */
function withFormat(body: Json): Json {
  const asked = below(body, 'outputConfig', 'textFormat', 'structure', 'jsonSchema');
  const schema = parseJson(asText(asked?.schema) ?? '');
  const format = isObject(schema) ? { output_config: { format: { schema } } } : {};
  return { ...toMessagesBody(body), ...format };
}
