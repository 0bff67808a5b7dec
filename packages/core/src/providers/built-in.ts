/** The providers that Skein knows: the home of each dialect, and those that are like one of them. */
import { anthropic } from '../dialects/anthropic-messages/provider.ts';
import { bedrockInvoke } from '../dialects/bedrock-converse/invoke.ts';
import { bedrock } from '../dialects/bedrock-converse/provider.ts';
import { cohere } from '../dialects/cohere-chat/provider.ts';
import { google } from '../dialects/google-generatecontent/provider.ts';
import { googleInteractionsHome } from '../dialects/google-interactions/provider.ts';
import { openaiChatHome } from '../dialects/openai-chat/provider.ts';
import { openai } from '../dialects/openai-responses/provider.ts';
import type { Connection, Policies, ProviderDescriptor } from '../dialects/provider.ts';
import { vertex, vertexAnthropic } from './vertex.ts';

/** How a provider that speaks Chat Completions differs from OpenAI. */
interface Differences {
  readonly id: string;
  readonly baseUrl: string;
  readonly names?: ProviderDescriptor['names'];
  /** Default: the host. */
  readonly issuer?: string;
  /** Variables are named after the id, unless given. */
  readonly connection?: Partial<Connection>;
  readonly policies?: Partial<Omit<Policies, 'quirks'>>;
  readonly quirks?: Policies['quirks'];
}

function compatible({ id, baseUrl, names, issuer, connection, policies, quirks }: Differences): ProviderDescriptor {
  const home = openaiChatHome;
  const name = id.toUpperCase().replace('-', '_');
  return {
    id,
    dialect: home.dialect,
    ...(names && { names }),
    issuer: issuer ?? baseUrl.split('/')[2]!,
    connection: {
      ...home.connection!,
      baseUrl,
      keyVariables: [`${name}_API_KEY`],
      baseUrlVariables: [`${name}_BASE_URL`],
      ...connection,
    },
    policies: {
      ...home.policies,
      // Most take images and nothing else.
      media: { user: ['image/*'], toolResult: [] },
      ...policies,
      quirks: { ...home.policies.quirks, ...quirks },
    },
  };
}

/** OpenAI renamed this field; most others kept the old name. */
const MAX_TOKENS = { maxTokensField: { default: 'max_tokens' } } as const;

/** The v1 API, which needs no version in its address. The model is the name of a deployment. */
const azureOpenai: ProviderDescriptor = {
  ...openai,
  id: 'azure-openai',
  aliases: ['azure'],
  names: { otel: 'azure.ai.openai', prices: 'azure' },
  // Ciphertexts are read by the resource that wrote them.
  issuer: '{host}',
  connection: {
    baseUrl: '',
    path: '/openai/v1/responses',
    auth: [{ header: 'api-key', value: '{key}' }],
    keyVariables: ['AZURE_OPENAI_API_KEY'],
    baseUrlVariables: ['AZURE_OPENAI_ENDPOINT'],
  },
};

const openrouter: ProviderDescriptor = /* @__PURE__ */ compatible({
  id: 'openrouter',
  baseUrl: 'https://openrouter.ai/api/v1',
  policies: {
    // It gives longer ones than OpenAI does, and takes them back.
    toolIds: { pattern: '^[a-zA-Z0-9_-]+$', maxLength: 64 },
    media: { user: ['image/*', 'application/pdf', 'audio/wav', 'audio/mpeg'], toolResult: [] },
    // What the providers behind it refuse, it refuses.
    prefill: {
      default: 'yes',
      models: [
        ['*claude*', 'no'],
        ['*gemini*', 'no'],
        ['*mistral*', 'no'],
        ['*deepseek*', 'no'],
      ],
    },
    // `reasoning_details` hold the signatures and ciphertexts of the providers behind it.
    // Google's are read by no other endpoint than their own: `Corrupted thought signature` (`router-upstream`).
    reasoningBoundTo: { default: ['model', 'upstream'], models: [['*claude*', ['model', 'prefix', 'upstream']]] },
    // It is asked for `claude-sonnet-4.5`, and answers as `claude-4.5-sonnet-20250929`; `:thinking` is a way to ask.
    modelAliases: [
      [':\\w+$', ''],
      ['(\\d)-(\\d)', '$1.$2'],
      ['^claude-([\\d.]+)-(\\w+)$', 'claude-$2-$1'],
    ],
    upstreams: { Google: 'google-vertex' },
  },
  quirks: { reasoningField: { default: 'reasoning' }, audio: { default: true } },
});

const deepseek: ProviderDescriptor = /* @__PURE__ */ compatible({
  id: 'deepseek',
  baseUrl: 'https://api.deepseek.com',
  policies: {
    media: { user: [], toolResult: [] },
    // Continuing an assistant message needs `prefix: true` and another address.
    prefill: { default: 'no' },
  },
  quirks: {
    ...MAX_TOKENS,
    reasoningField: { default: 'reasoning_content' },
    // deepseek-reasoning: thoughts that came with tool calls must be passed back.
    sendReasoning: { default: true },
    thoughtCalls: { default: true },
    // It follows no schema in `response_format`.
    output: { default: 'tool' },
  },
});

const groq: ProviderDescriptor = /* @__PURE__ */ compatible({
  id: 'groq',
  baseUrl: 'https://api.groq.com',
  connection: { path: '/openai/v1/chat/completions' },
  policies: {
    // It refuses every message field that requests do not have: `property 'channel' is unsupported`.
    refusedFields: ['executed_tools', 'channel', 'annotations'],
  },
  quirks: {
    reasoningField: { default: 'reasoning' },
    // `property 'reasoning' is unsupported` for all models but OpenAI's open ones.
    sendReasoning: { default: false, models: [['*gpt-oss*', true]] },
    // `This model does not support response format json_schema`
    output: {
      default: 'tool',
      models: [
        ['*gpt-oss*', 'format'],
        ['*kimi-k2*', 'format'],
        ['*llama-4*', 'format'],
      ],
    },
  },
});

const mistral: ProviderDescriptor = /* @__PURE__ */ compatible({
  id: 'mistral',
  names: { otel: 'mistral_ai' },
  baseUrl: 'https://api.mistral.ai',
  connection: { path: '/v1/chat/completions' },
  policies: {
    toolIds: { pattern: '^[a-zA-Z0-9]{9}$', maxLength: 9 },
    // An assistant message at the end needs `prefix: true`.
    prefill: { default: 'no' },
  },
  quirks: {
    ...MAX_TOKENS,
    // Usage is in the last chunk without being asked for; unknown parameters are refused (`extra_forbidden`).
    streamUsage: { default: false },
    sendReasoning: { default: false },
    effort: { default: false },
  },
});

/** They know JSON in `response_format`, but no schema, and take no forced call. */
const JSON_ONLY = { output: { default: 'tool' }, alwaysThinks: { default: true } } as const;

const xai: ProviderDescriptor = /* @__PURE__ */ compatible({
  id: 'xai',
  names: { otel: 'x_ai', prices: 'x-ai' },
  baseUrl: 'https://api.x.ai/v1',
  quirks: { reasoningField: { default: 'reasoning_content' } },
});

const together: ProviderDescriptor = /* @__PURE__ */ compatible({
  id: 'together',
  baseUrl: 'https://api.together.xyz/v1',
  connection: { keyVariables: ['TOGETHER_API_KEY', 'TOGETHER_AI_API_KEY'] },
  quirks: { ...MAX_TOKENS, reasoningField: { default: 'reasoning' } },
});

const fireworks: ProviderDescriptor = /* @__PURE__ */ compatible({
  id: 'fireworks',
  baseUrl: 'https://api.fireworks.ai/inference/v1',
  quirks: { ...MAX_TOKENS, reasoningField: { default: 'reasoning_content' } },
});

const cerebras: ProviderDescriptor = /* @__PURE__ */ compatible({
  id: 'cerebras',
  baseUrl: 'https://api.cerebras.ai',
  connection: { path: '/v1/chat/completions' },
  policies: {
    // It takes its own `reasoning` back, and refuses the name that others use: `wrong_api_format`.
    refusedFields: ['reasoning_content'],
    prefill: { default: 'no' },
    media: { user: [], toolResult: [] },
  },
  quirks: { reasoningField: { default: 'reasoning' } },
});

const moonshot: ProviderDescriptor = /* @__PURE__ */ compatible({
  id: 'moonshot',
  names: { otel: 'moonshot_ai', prices: 'moonshotai' },
  baseUrl: 'https://api.moonshot.ai/v1',
  // Continuing an assistant message needs `partial: true`.
  policies: { prefill: { default: 'no' } },
  // `thinking is enabled but reasoning_content is missing in assistant tool call message`
  quirks: {
    ...MAX_TOKENS,
    ...JSON_ONLY,
    reasoningField: { default: 'reasoning_content' },
    thoughtCalls: { default: true },
  },
});

const zai: ProviderDescriptor = /* @__PURE__ */ compatible({
  id: 'zai',
  baseUrl: 'https://api.z.ai/api/paas/v4',
  policies: { prefill: { default: 'no' } },
  quirks: { ...MAX_TOKENS, ...JSON_ONLY, reasoningField: { default: 'reasoning_content' } },
});

/** Servers that apply the chat template a model came with; many templates insist on turns and on one system text in front. */
const STRICT_TEMPLATE = {
  alternateRoles: true,
  inlineSystem: { default: 'never' },
  prefill: { default: 'no' },
} as const satisfies Partial<Policies>;

const ollama: ProviderDescriptor = /* @__PURE__ */ compatible({
  id: 'ollama',
  baseUrl: 'http://localhost:11434/v1',
  issuer: 'ollama',
  connection: { needsKey: false },
  quirks: { ...MAX_TOKENS, reasoningField: { default: 'reasoning' } },
});

const lmstudio: ProviderDescriptor = /* @__PURE__ */ compatible({
  id: 'lmstudio',
  baseUrl: 'http://localhost:1234/v1',
  issuer: 'lmstudio',
  connection: { needsKey: false },
  policies: STRICT_TEMPLATE,
  quirks: { ...MAX_TOKENS, reasoningField: { default: 'reasoning' } },
});

/** Any address that speaks Chat Completions. Nothing is known of it, so the strictest rules hold. */
const openaiCompatible: ProviderDescriptor = /* @__PURE__ */ compatible({
  id: 'openai-compatible',
  baseUrl: '',
  issuer: '{host}',
  connection: { needsKey: false },
  policies: STRICT_TEMPLATE,
  quirks: MAX_TOKENS,
});

/** In the order of preference. */
export const BUILT_IN: readonly ProviderDescriptor[] = [
  openai,
  openaiChatHome,
  anthropic,
  google,
  googleInteractionsHome,
  bedrock,
  bedrockInvoke,
  cohere,
  vertex,
  vertexAnthropic,
  azureOpenai,
  openrouter,
  deepseek,
  xai,
  groq,
  mistral,
  together,
  fireworks,
  cerebras,
  moonshot,
  zai,
  ollama,
  lmstudio,
  openaiCompatible,
];
