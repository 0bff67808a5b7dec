/** Vendors' SDKs as clients of the emulator: stateless tool conversations through whatever `fetch` they are given. */
import Anthropic from '@anthropic-ai/sdk';
import { GoogleGenAI } from '@google/genai';
import type { Emulator, Protocol, ScriptedReply } from '@skein/emulator';
import { createForest, memoryStore } from '@skein/forest';
import OpenAI from 'openai';
import type { FetchFunction } from '../src/record/record-fetch.ts';

/** A client that keeps its own history, asks and answers every call until there is none. */
export interface Talk {
  ask(question: string): Promise<string>;
}

interface TalkOptions {
  readonly fetch: FetchFunction;
  readonly url: string;
  readonly stream: boolean;
}

const parameters = { type: 'object' as const, properties: { city: { type: 'string' as const } } };

export const TALKS: Readonly<
  Record<Exclude<Protocol, 'bedrock-converse' | 'cohere-chat'>, (options: TalkOptions) => Talk>
> = {
  'google-interactions': interactionsTalk,
  'openai-chat': ({ fetch, url, stream }) => {
    const openai = new OpenAI({ apiKey: 'sk-secret-chat', baseURL: `${url}/v1`, fetch });
    const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: 'system', content: 'Be brief.' }];
    const tools = [{ type: 'function' as const, function: { name: 'get_weather', parameters } }];
    const next = async () => {
      const request = { model: 'gpt-4o', messages, tools };
      if (!stream) return (await openai.chat.completions.create(request)).choices[0]!.message;
      return (
        await openai.chat.completions
          .stream({ ...request, stream_options: { include_usage: true } })
          .finalChatCompletion()
      ).choices[0]!.message;
    };
    return {
      async ask(content) {
        messages.push({ role: 'user', content });
        for (;;) {
          const message = await next();
          // What most clients send back: the parts they know.
          const { role, content: text, tool_calls } = message;
          messages.push({ role, content: text, ...(tool_calls?.length && { tool_calls }) });
          if (!tool_calls?.length) return text ?? '';
          for (const { id } of tool_calls) messages.push({ role: 'tool', tool_call_id: id, content: '-3' });
        }
      },
    };
  },
  'openai-responses': ({ fetch, url, stream }) => {
    const openai = new OpenAI({ apiKey: 'sk-secret-responses', baseURL: `${url}/v1`, fetch });
    const input: OpenAI.Responses.ResponseInputItem[] = [];
    const tools = [{ type: 'function' as const, name: 'get_weather', parameters, strict: false }];
    const next = async () => {
      const request = {
        model: 'gpt-5.5',
        instructions: 'Be brief.',
        input,
        tools,
        store: false,
        include: ['reasoning.encrypted_content' as const],
      };
      if (!stream) return openai.responses.create(request);
      for await (const event of await openai.responses.create({ ...request, stream: true }))
        if (event.type === 'response.completed') return event.response;
      throw new Error('The stream had no end');
    };
    return {
      async ask(content) {
        input.push({ role: 'user', content });
        for (;;) {
          const { output } = await next();
          input.push(...(output as OpenAI.Responses.ResponseInputItem[]));
          const calls = output.filter((item) => item.type === 'function_call');
          if (calls.length === 0) return textOf(output);
          for (const { call_id } of calls) input.push({ type: 'function_call_output', call_id, output: '-3' });
        }
      },
    };
  },
  'anthropic-messages': ({ fetch, url, stream }) => {
    const anthropic = new Anthropic({ apiKey: 'sk-secret-anthropic', baseURL: url, fetch });
    const messages: Anthropic.MessageParam[] = [];
    const tools = [{ name: 'get_weather', input_schema: parameters }];
    const next = async () => {
      const request = { model: 'claude-opus-5-5', max_tokens: 1000, system: 'Be brief.', messages, tools };
      return stream ? anthropic.messages.stream(request).finalMessage() : anthropic.messages.create(request);
    };
    return {
      async ask(content) {
        messages.push({ role: 'user', content });
        for (;;) {
          const reply = await next();
          messages.push({ role: 'assistant', content: reply.content });
          const calls = reply.content.filter((block) => block.type === 'tool_use');
          if (calls.length === 0) return reply.content.map((block) => ('text' in block ? block.text : '')).join('');
          const results = calls.map(({ id }) => ({ type: 'tool_result' as const, tool_use_id: id, content: '-3' }));
          messages.push({ role: 'user', content: results });
        }
      },
    };
  },
  'google-generatecontent': ({ fetch, url, stream }) => {
    const google = new GoogleGenAI({
      apiKey: 'secret-google',
      httpOptions: { baseUrl: url, fetch: fetch as typeof globalThis.fetch },
    });
    const contents: { role: string; parts: object[] }[] = [];
    const config = {
      systemInstruction: 'Be brief.',
      tools: [{ functionDeclarations: [{ name: 'get_weather', parametersJsonSchema: parameters }] }],
    };
    const next = async () => {
      const request = { model: 'gemini-3-pro-preview', contents, config };
      if (!stream) return (await google.models.generateContent(request)).candidates?.[0]?.content?.parts ?? [];
      const parts: object[] = [];
      for await (const chunk of await google.models.generateContentStream(request))
        parts.push(...(chunk.candidates?.[0]?.content?.parts ?? []));
      return parts;
    };
    return {
      async ask(text) {
        contents.push({ role: 'user', parts: [{ text }] });
        for (;;) {
          const parts = (await next()) as { text?: string; functionCall?: { id?: string; name?: string } }[];
          contents.push({ role: 'model', parts });
          const calls = parts.flatMap(({ functionCall }) => (functionCall ? [functionCall] : []));
          if (calls.length === 0) return parts.map((part) => part.text ?? '').join('');
          const answers = calls.map(({ id, name }) => ({
            functionResponse: { ...(id && { id }), name, response: { degrees: -3 } },
          }));
          contents.push({ role: 'user', parts: answers });
        }
      },
    };
  },
};

function interactionsTalk({ fetch, url, stream }: TalkOptions): Talk {
  const google = new GoogleGenAI({
    apiKey: 'secret-google',
    httpOptions: { baseUrl: url, fetch: fetch as typeof globalThis.fetch },
  });
  const input: object[] = [];
  const next = async (): Promise<readonly Record<string, unknown>[]> => {
    const request = {
      model: 'gemini-3.6-flash',
      system_instruction: 'Be brief.',
      input: input as never,
      tools: [{ type: 'function' as const, name: 'get_weather', parameters }],
      store: false,
    };
    if (!stream) return (await google.interactions.create(request)).steps as never;
    const steps: Record<string, unknown>[] = [];
    for await (const event of await google.interactions.create({ ...request, stream: true })) {
      if (event.event_type === 'step.start') steps[event.index] = { ...event.step };
      if (event.event_type === 'step.delta') addDelta(steps[event.index]!, event.delta);
    }
    return steps.map(({ pieces, ...step }) => (pieces ? { ...step, arguments: JSON.parse(`${pieces}`) } : step));
  };
  return {
    async ask(text) {
      input.push({ type: 'user_input', content: [{ type: 'text', text }] });
      for (;;) {
        const steps = await next();
        input.push(...steps);
        const calls = steps.filter(({ type }) => type === 'function_call');
        if (calls.length === 0)
          return steps.flatMap(({ content }) => (content as { text: string }[])?.[0]?.text ?? []).join('');
        for (const { id, name } of calls) input.push({ type: 'function_result', call_id: id, name, result: '-3' });
      }
    },
  };
}

/** As a client puts a step together. */
function addDelta(step: Record<string, unknown>, delta: object): void {
  const { type, text = '', signature, content, arguments: args } = delta as Record<string, unknown>;
  const [before] = (step.content ?? []) as { text: string }[];
  if (type === 'text') step.content = [{ type, text: `${before?.text ?? ''}${text}` }];
  const [thought] = (step.summary ?? []) as { text: string }[];
  const said = (content as { text: string } | undefined)?.text;
  if (type === 'thought_summary') step.summary = [{ type: 'text', text: `${thought?.text ?? ''}${said}` }];
  if (type === 'thought_signature') step.signature = signature;
  if (type === 'arguments_delta') step.pieces = `${step.pieces ?? ''}${args}`;
}

function textOf(output: readonly OpenAI.Responses.ResponseOutputItem[]): string {
  const parts = output.flatMap((item) => (item.type === 'message' ? item.content : []));
  return parts.map((part) => (part.type === 'output_text' ? part.text : '')).join('');
}

/** Ten questions; every other one needs a tool, one of them twice at once. */
export const QUESTIONS = Array.from({ length: 10 }, (_, turn) => `Question ${turn}: how is it in city ${turn}?`);

export function script(emulator: Emulator, protocol: Protocol): void {
  const call = (city: string) => ({ type: 'tool-use' as const, name: 'get_weather', input: { city } });
  emulator.script(
    protocol,
    QUESTIONS.flatMap((_, turn): ScriptedReply[] => {
      const says = { blocks: [{ type: 'text' as const, text: `Answer ${turn}.` }], pieces: 4 };
      if (turn % 2 === 0) return [says];
      const calls = turn === 3 ? [call('Oslo'), call('Rome')] : [call('Oslo')];
      const thinks = { type: 'thinking' as const, text: `Thought ${turn}.` };
      const isPlain = protocol === 'openai-chat' || protocol === 'anthropic-messages';
      return [{ blocks: isPlain ? calls : [thinks, ...calls], pieces: 5 }, says];
    }),
  );
}

export const newForest = (store = memoryStore()) => createForest(store);
