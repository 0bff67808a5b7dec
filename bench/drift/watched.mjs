/** The APIs that the drift watch looks at: the package with their types, the roots in it, and our code for each. */
import {
  judgeAnthropicMessages,
  judgeBedrockConverse,
  judgeCohereChat,
  judgeGoogleGenerateContent,
  judgeGoogleInteractions,
  judgeOpenAIChat,
  judgeOpenAIResponses,
} from '@skein/emulator';

/**
 * @typedef {object} WatchedApi
 * @property {string} api The name in the report.
 * @property {string} package
 * @property {string} roots A module in the package's folder that exports `Request`, `Reply`, `Event` and `ErrorBody` as far as there are types for them.
 * @property {import('@skein/emulator').Judge} judge
 * @property {RegExp} refusals The rules by which the emulator refuses a member, a type or a value that it does not know.
 * @property {object} base Members that every sample has.
 * @property {Readonly<Record<string, string>>} [refusedAnyway] Members that the types allow and the API refuses, or that the SDK sends elsewhere than in the body, with the evidence.
 * @property {string} [model] For APIs that name the model in the path.
 * @property {readonly string[]} emulator Our folders, from the repository's root.
 * @property {readonly string[]} dialect
 */

/** @param {string} name */
const rules = (name) => [`packages/emulator/src/rules/${name}`, `packages/emulator/src/render`];
/** @param {string} name */
const dialect = (name) => [`packages/core/src/dialects/${name}`];
const asked = { role: 'user', content: 'text' };

/** @type {readonly WatchedApi[]} */
export const watchedApis = [
  {
    api: 'OpenAI chat completions',
    package: 'openai',
    roots: `
      export type {
        ChatCompletionCreateParams as Request,
        ChatCompletion as Reply,
        ChatCompletionChunk as Event,
      } from './resources/chat/completions/completions';
      export type { ErrorObject as ErrorBody } from './resources/shared';`,
    judge: judgeOpenAIChat,
    refusals: /unknown-|-type$|required/,
    base: { model: 'gpt-5.2', messages: [asked] },
    emulator: rules('openai-chat'),
    dialect: dialect('openai-chat'),
  },
  {
    api: 'OpenAI Responses',
    package: 'openai',
    roots: `
      export type {
        ResponseCreateParams as Request,
        Response as Reply,
        ResponseStreamEvent as Event,
      } from './resources/responses/responses';
      export type { ErrorObject as ErrorBody } from './resources/shared';`,
    judge: judgeOpenAIResponses,
    refusals: /unknown-|-type$|required/,
    base: { model: 'gpt-5.2', input: 'text' },
    refusedAnyway: { 'ResponseReasoningItem.status': 'openai-python#3008 quotes the refusal' },
    emulator: rules('openai-responses'),
    dialect: dialect('openai-responses'),
  },
  {
    api: 'Anthropic messages',
    package: '@anthropic-ai/sdk',
    roots: `
      export type {
        MessageCreateParams as Request,
        BetaMessage as Reply,
        BetaRawMessageStreamEvent as Event,
      } from './resources/beta/messages/messages';
      export type { BetaErrorResponse as ErrorBody } from './resources/beta/beta';`,
    judge: judgeAnthropicMessages,
    refusals: /extra-|\.type$|required/,
    base: { model: 'claude-opus-5-5', max_tokens: 1024, messages: [asked] },
    refusedAnyway: {
      betas: 'a header',
      user_profile_id: 'a header',
      workspace_id: 'a header',
    },
    emulator: rules('anthropic-messages'),
    dialect: dialect('anthropic-messages'),
  },
  {
    api: 'Google generateContent',
    package: '@google/genai',
    // The parameters of the SDK are not those of the wire: its `config` is taken apart. The parts below go as they are.
    roots: `
      import type { Content, GenerationConfig, SafetySetting, Tool, ToolConfig } from './dist/genai';
      export interface Request {
        contents: Content[];
        systemInstruction?: Content;
        tools?: Tool[];
        toolConfig?: ToolConfig;
        safetySettings?: SafetySetting[];
        generationConfig?: GenerationConfig;
        cachedContent?: string;
      }
      export type { GenerateContentResponse as Reply } from './dist/genai';`,
    judge: judgeGoogleGenerateContent,
    refusals: /unknown-field|\.type$|struct/,
    base: { contents: [{ role: 'user', parts: [{ text: 'text' }] }] },
    model: 'gemini-3-pro',
    emulator: rules('google-generatecontent'),
    dialect: dialect('google-generatecontent'),
  },
  {
    api: 'Google Interactions',
    package: '@google/genai',
    roots: `
      import type { Interactions } from './dist/genai';
      export type Request =
        | Interactions.InteractionCreateParams.CreateModelInteractionParamsNonStreaming
        | Interactions.InteractionCreateParams.CreateAgentInteractionParamsNonStreaming;
      export type Reply = Interactions.Interaction;
      export type Event = Interactions.InteractionSSEEvent;`,
    judge: judgeGoogleInteractions,
    refusals: /unknown-field|type$|\.required$/,
    base: { model: 'gemini-3.6-flash', input: 'text' },
    refusedAnyway: { api_version: 'a part of the address' },
    emulator: rules('google-interactions'),
    dialect: dialect('google-interactions'),
  },
  {
    api: 'Amazon Bedrock Converse',
    package: '@aws-sdk/client-bedrock-runtime',
    roots: `
      export type {
        ConverseStreamRequest as Request,
        ConverseResponse as Reply,
        ConverseStreamOutput as Event,
      } from './dist-types/models/models_0';`,
    judge: judgeBedrockConverse,
    refusals: /unknown-field|block-kind|type$|required/,
    base: { messages: [{ role: 'user', content: [{ text: 'text' }] }] },
    refusedAnyway: { $unknown: 'where the SDK puts a member that it does not know' },
    model: 'amazon.nova-lite-v1:0',
    emulator: rules('bedrock-converse'),
    dialect: dialect('bedrock-converse'),
  },
  {
    api: 'Cohere chat',
    package: 'cohere-ai',
    // The SDK's own types are in camel case; these are those of the wire.
    roots: `
      import type { V2ChatStreamRequest } from './dist/serialization/resources/v2/client/requests/V2ChatStreamRequest';
      import type { V2ChatResponse } from './dist/serialization/resources/v2/types/V2ChatResponse';
      import type { V2ChatStreamResponse } from './dist/serialization/resources/v2/types/V2ChatStreamResponse';
      export type Request = V2ChatStreamRequest.Raw;
      export type Reply = V2ChatResponse.Raw;
      export type Event = V2ChatStreamResponse.Raw;`,
    judge: judgeCohereChat,
    refusals: /unknown-field|-type$|role|required/,
    base: { model: 'command-a-03-2025', messages: [asked] },
    emulator: rules('cohere-chat'),
    dialect: dialect('cohere-chat'),
  },
];
