/** What the tests of the gateway share: the vendors' SDKs as clients that keep a conversation in their own protocol. */
import Anthropic from '@anthropic-ai/sdk';
import { GoogleGenAI } from '@google/genai';
import type { ReplyBlock } from '@skein/emulator';
import OpenAI from 'openai';

/** A conversation of a client in its own protocol. Each step resolves to the text of the answer. */
export interface ClientConversation {
  readonly name: string;
  say(text: string, model: string): Promise<string>;
  /** Answers all calls of the last reply. */
  answerCalls(result: string, model: string): Promise<string>;
  /** The history as the client has it; it may be changed. */
  // biome-ignore lint/suspicious/noExplicitAny: each protocol has its own shape
  readonly history: any[];
}

const TOOL = {
  name: 'weather',
  description: 'The weather of a city.',
  parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
};

export const CLIENTS = ['chat', 'responses', 'anthropic', 'google'] as const;
export type ClientName = (typeof CLIENTS)[number];

export function connect(
  name: ClientName,
  url: string,
  isStream: boolean,
  headers: Record<string, string> = {},
): ClientConversation {
  switch (name) {
    case 'chat':
      return chat(url, isStream, headers);
    case 'responses':
      return responses(url, isStream, headers);
    case 'anthropic':
      return anthropic(url, isStream, headers);
    case 'google':
      return google(url, isStream, headers);
  }
}

export function openaiClient(url: string, headers: Record<string, string> = {}): OpenAI {
  return new OpenAI({ apiKey: 'skein', baseURL: `${url}/gateway/openai/v1`, maxRetries: 0, defaultHeaders: headers });
}

export function anthropicClient(url: string, headers: Record<string, string> = {}): Anthropic {
  return new Anthropic({
    apiKey: 'skein',
    baseURL: `${url}/gateway/anthropic`,
    maxRetries: 0,
    defaultHeaders: headers,
  });
}

function chat(url: string, isStream: boolean, headers: Record<string, string>): ClientConversation {
  const client = openaiClient(url, headers);
  const history: OpenAI.ChatCompletionMessageParam[] = [];
  const ask = async (model: string) => {
    const request = {
      model,
      messages: history,
      tools: [{ type: 'function' as const, function: TOOL }],
    };
    const reply = isStream
      ? await client.chat.completions.stream(request).finalChatCompletion()
      : await client.chat.completions.create(request);
    const { message } = reply.choices[0]!;
    history.push(message as OpenAI.ChatCompletionMessageParam);
    return message.content ?? '';
  };
  return {
    name: 'chat',
    history,
    say(content, model) {
      history.push({ role: 'user', content });
      return ask(model);
    },
    answerCalls(content, model) {
      const last = history.at(-1) as OpenAI.ChatCompletionAssistantMessageParam;
      for (const { id } of last.tool_calls ?? []) history.push({ role: 'tool', tool_call_id: id, content });
      return ask(model);
    },
  };
}

function responses(url: string, isStream: boolean, headers: Record<string, string>): ClientConversation {
  const client = openaiClient(url, headers);
  const history: OpenAI.Responses.ResponseInputItem[] = [];
  const ask = async (model: string) => {
    const request = {
      model,
      input: history,
      store: false,
      include: ['reasoning.encrypted_content' as const],
      tools: [{ type: 'function' as const, ...TOOL, strict: false }],
    };
    const reply = isStream
      ? await client.responses.stream(request).finalResponse()
      : await client.responses.create(request);
    // The SDK's stream adds members that the API refuses.
    const output = JSON.stringify(reply.output, (name, value) => (/^parsed/.test(name) ? undefined : value));
    history.push(...(JSON.parse(output) as OpenAI.Responses.ResponseInputItem[]));
    return reply.output_text;
  };
  return {
    name: 'responses',
    history,
    say(content, model) {
      history.push({ role: 'user', content });
      return ask(model);
    },
    answerCalls(output, model) {
      const calls = history.filter((item) => item.type === 'function_call');
      const done = new Set(history.flatMap((item) => (item.type === 'function_call_output' ? [item.call_id] : [])));
      for (const { call_id } of calls)
        if (!done.has(call_id)) history.push({ type: 'function_call_output', call_id, output });
      return ask(model);
    },
  };
}

function anthropic(url: string, isStream: boolean, headers: Record<string, string>): ClientConversation {
  const client = anthropicClient(url, headers);
  const history: Anthropic.MessageParam[] = [];
  const ask = async (model: string) => {
    const request = {
      model,
      max_tokens: 4000,
      thinking: { type: 'enabled' as const, budget_tokens: 2000 },
      messages: history,
      tools: [
        { name: TOOL.name, description: TOOL.description, input_schema: TOOL.parameters as Anthropic.Tool.InputSchema },
      ],
    };
    const reply = isStream
      ? await client.messages.stream(request).finalMessage()
      : await client.messages.create(request);
    history.push({ role: 'assistant', content: reply.content as Anthropic.ContentBlockParam[] });
    return reply.content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('');
  };
  return {
    name: 'anthropic',
    history,
    say(content, model) {
      history.push({ role: 'user', content });
      return ask(model);
    },
    answerCalls(content, model) {
      const blocks = history.at(-1)!.content as Anthropic.ContentBlock[];
      const results = blocks.flatMap((block) =>
        block.type === 'tool_use' ? [{ type: 'tool_result' as const, tool_use_id: block.id, content }] : [],
      );
      history.push({ role: 'user', content: results });
      return ask(model);
    },
  };
}

function google(url: string, isStream: boolean, headers: Record<string, string>): ClientConversation {
  const client = new GoogleGenAI({ apiKey: 'skein', httpOptions: { baseUrl: `${url}/gateway/google`, headers } });
  // biome-ignore lint/suspicious/noExplicitAny: parts are sent back as they came
  const history: any[] = [];
  const ask = async (model: string) => {
    const request = {
      model,
      contents: history,
      config: {
        thinkingConfig: { includeThoughts: true, thinkingBudget: 1000 },
        tools: [
          {
            functionDeclarations: [
              { name: TOOL.name, description: TOOL.description, parametersJsonSchema: TOOL.parameters },
            ],
          },
        ],
      },
    };
    // biome-ignore lint/suspicious/noExplicitAny: parts are sent back as they came
    const parts: any[] = [];
    if (isStream)
      for await (const chunk of await client.models.generateContentStream(request))
        parts.push(...(chunk.candidates?.[0]?.content?.parts ?? []));
    else parts.push(...((await client.models.generateContent(request)).candidates?.[0]?.content?.parts ?? []));
    history.push({ role: 'model', parts });
    return parts.map((part) => (part.thought ? '' : (part.text ?? ''))).join('');
  };
  return {
    name: 'google',
    history,
    say(text, model) {
      history.push({ role: 'user', parts: [{ text }] });
      return ask(model);
    },
    answerCalls(result, model) {
      // biome-ignore lint/suspicious/noExplicitAny: parts are sent back as they came
      const calls = history.at(-1)!.parts.flatMap((part: any) => part.functionCall ?? []);
      history.push({
        role: 'user',
        // biome-ignore lint/suspicious/noExplicitAny: parts are sent back as they came
        parts: calls.map(({ id, name }: any) => ({
          functionResponse: { ...(id && { id }), name, response: { result } },
        })),
      });
      return ask(model);
    },
  };
}

/** A reply that reasons and calls the tool twice, and one that reasons and speaks. */
export const callsTwice = (thought: string): readonly ReplyBlock[] => [
  { type: 'thinking', text: thought },
  { type: 'tool-use', name: 'weather', input: { city: 'Lisbon' } },
  { type: 'tool-use', name: 'weather', input: { city: 'Porto' } },
];
export const speaks = (thought: string, text: string): readonly ReplyBlock[] => [
  { type: 'thinking', text: thought },
  { type: 'text', text },
];
