/** Clients of the four protocols that write their requests by hand, as programs without an SDK do. */
import { isObject, type Json, type SeenAnswer } from './answer.ts';
import type { ClientProtocol } from './readers.ts';

/** What a turn asks for beside its messages. */
export interface Wishes {
  readonly model: string;
  readonly stream: boolean;
  readonly system: string;
  readonly maxTokens: number;
  readonly temperature?: number;
  readonly topP?: number;
  /** Whether to think, and to show it. */
  readonly thinks: boolean;
  /** The property that an answer by a schema has. */
  readonly property?: string;
}

interface CallResult {
  readonly id: string;
  readonly name: string;
  readonly text: string;
}

/** A program with a conversation in its own protocol. */
export interface Client {
  readonly protocol: ClientProtocol;
  path(wishes: Wishes): string;
  body(wishes: Wishes): Json;
  ask(text: string, image?: string): void;
  answer(results: readonly CallResult[]): void;
  /** Keeps what it got, as it got it. */
  keep(answer: SeenAnswer): void;
  /** The name of a parameter in this protocol. */
  readonly names: Readonly<Record<'maxTokens' | 'temperature' | 'topP' | 'property', string>>;
}

const TOOL = {
  name: 'look_up',
  description: 'Looks up a city',
  parameters: {
    type: 'object',
    properties: { city: { type: 'string' } },
    required: ['city'],
    additionalProperties: false,
  },
};

const schemaOf = (property: string) => ({
  type: 'object',
  properties: { [property]: { type: 'string' } },
  required: [property],
  additionalProperties: false,
});

/** Leaves out what was not asked for. */
const given = (members: Json): Json =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));

function createChat(): Client {
  const messages: Json[] = [];
  return {
    protocol: 'openai-chat',
    names: {
      maxTokens: 'max_completion_tokens',
      temperature: 'temperature',
      topP: 'top_p',
      property: 'response_format',
    },
    path: () => '/openai/v1/chat/completions',
    body: ({ model, stream, system, maxTokens, temperature, topP, thinks, property }) => ({
      model,
      messages: [{ role: 'system', content: system }, ...messages],
      tools: [{ type: 'function', function: TOOL }],
      max_completion_tokens: maxTokens,
      ...given({ temperature, top_p: topP }),
      ...(thinks && { reasoning_effort: 'medium' }),
      ...(stream && { stream, stream_options: { include_usage: true } }),
      ...(property && {
        response_format: {
          type: 'json_schema',
          json_schema: { name: 'answer', strict: true, schema: schemaOf(property) },
        },
      }),
    }),
    ask: (text, image) =>
      messages.push({
        role: 'user',
        content: image
          ? [
              { type: 'text', text },
              { type: 'image_url', image_url: { url: `data:image/png;base64,${image}` } },
            ]
          : text,
      }),
    answer: (results) =>
      messages.push(...results.map(({ id, text }) => ({ role: 'tool', tool_call_id: id, content: text }))),
    keep({ echo }) {
      // A field of an answer that requests do not have.
      const { refusal: _, annotations: __, reasoning_content: ___, ...message } = echo;
      messages.push(message);
    },
  };
}

function createResponses(): Client {
  const input: Json[] = [];
  return {
    protocol: 'openai-responses',
    names: { maxTokens: 'max_output_tokens', temperature: 'temperature', topP: 'top_p', property: 'text.format' },
    path: () => '/openai/v1/responses',
    body: ({ model, stream, system, maxTokens, temperature, topP, thinks, property }) => ({
      model,
      instructions: system,
      input,
      store: false,
      include: ['reasoning.encrypted_content'],
      tools: [{ type: 'function', ...TOOL, strict: false }],
      max_output_tokens: maxTokens,
      ...given({ temperature, top_p: topP }),
      ...(thinks && { reasoning: { effort: 'medium', summary: 'auto' } }),
      ...(stream && { stream }),
      ...(property && {
        text: { format: { type: 'json_schema', name: 'answer', strict: true, schema: schemaOf(property) } },
      }),
    }),
    ask: (text, image) =>
      input.push({
        type: 'message',
        role: 'user',
        content: [
          { type: 'input_text', text },
          ...(image ? [{ type: 'input_image', detail: 'auto', image_url: `data:image/png;base64,${image}` }] : []),
        ],
      }),
    answer: (results) =>
      input.push(...results.map(({ id, text }) => ({ type: 'function_call_output', call_id: id, output: text }))),
    keep: ({ echo }) => input.push(...echo),
  };
}

function createAnthropic(): Client {
  const messages: Json[] = [];
  return {
    protocol: 'anthropic-messages',
    names: { maxTokens: 'max_tokens', temperature: 'temperature', topP: 'top_p', property: 'output_config' },
    path: () => '/anthropic/v1/messages',
    body: ({ model, stream, system, maxTokens, temperature, topP, thinks, property }) => ({
      model,
      system,
      messages,
      max_tokens: maxTokens,
      tools: [{ name: TOOL.name, description: TOOL.description, input_schema: TOOL.parameters }],
      ...given({ temperature, top_p: topP }),
      ...(thinks && { thinking: { type: 'adaptive' } }),
      ...(stream && { stream }),
      ...(property && { output_config: { format: { type: 'json_schema', schema: schemaOf(property) } } }),
    }),
    ask: (text, image) =>
      messages.push({
        role: 'user',
        content: [
          { type: 'text', text },
          ...(image ? [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: image } }] : []),
        ],
      }),
    answer: (results) =>
      messages.push({
        role: 'user',
        content: results.map(({ id, text }) => ({ type: 'tool_result', tool_use_id: id, content: text })),
      }),
    keep: ({ echo }) => messages.push(echo),
  };
}

function createGoogle(): Client {
  const contents: Json[] = [];
  return {
    protocol: 'google-generatecontent',
    names: {
      maxTokens: 'generationConfig.maxOutputTokens',
      temperature: 'generationConfig.temperature',
      topP: 'generationConfig.topP',
      property: 'generationConfig.responseJsonSchema',
    },
    path: ({ model, stream }) =>
      `/google/v1beta/models/${model}:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
    body: ({ system, maxTokens, temperature, topP, thinks, property }) => ({
      systemInstruction: { parts: [{ text: system }] },
      contents,
      tools: [
        {
          functionDeclarations: [
            { name: TOOL.name, description: TOOL.description, parametersJsonSchema: TOOL.parameters },
          ],
        },
      ],
      generationConfig: {
        maxOutputTokens: maxTokens,
        ...given({ temperature, topP }),
        ...(thinks && { thinkingConfig: { includeThoughts: true } }),
        ...(property && { responseMimeType: 'application/json', responseJsonSchema: schemaOf(property) }),
      },
    }),
    ask: (text, image) =>
      contents.push({
        role: 'user',
        parts: [{ text }, ...(image ? [{ inlineData: { mimeType: 'image/png', data: image } }] : [])],
      }),
    answer: (results) =>
      contents.push({
        role: 'user',
        parts: results.map(({ id, name, text }) => ({
          functionResponse: { ...(id && { id }), name, response: { result: text } },
        })),
      }),
    keep: ({ echo }) => contents.push(echo),
  };
}

export const CLIENTS: Readonly<Record<ClientProtocol, () => Client>> = {
  'openai-chat': createChat,
  'openai-responses': createResponses,
  'anthropic-messages': createAnthropic,
  'google-generatecontent': createGoogle,
};

/** The calls of the last answer that a client has to answer. */
export function callsIn({ parts }: SeenAnswer): { readonly id: string; readonly name: string; readonly input: Json }[] {
  return parts.flatMap((part) => {
    if (part.kind !== 'call') return [];
    const input = JSON.parse(part.input);
    return [{ id: part.id, name: part.name, input: isObject(input) ? input : {} }];
  });
}
