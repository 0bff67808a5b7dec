import type { ProviderDescriptor } from '../../dialects/provider.ts';
import { compatible, MAX_TOKENS } from './compatible.ts';

/** They know JSON in `response_format`, but no schema, and take no forced call. */
const JSON_ONLY = { output: { default: 'tool' }, alwaysThinks: { default: true } } as const;

export const xai: ProviderDescriptor = /* @__PURE__ */ compatible({
  id: 'xai',
  issuer: 'api.x.ai',
  connection: {
    baseUrl: 'https://api.x.ai/v1',
    keyVariables: ['XAI_API_KEY'],
    baseUrlVariables: ['XAI_BASE_URL'],
  },
  quirks: { reasoningField: { default: 'reasoning_content' } },
});

export const together: ProviderDescriptor = /* @__PURE__ */ compatible({
  id: 'together',
  issuer: 'api.together.xyz',
  connection: {
    baseUrl: 'https://api.together.xyz/v1',
    keyVariables: ['TOGETHER_API_KEY', 'TOGETHER_AI_API_KEY'],
    baseUrlVariables: ['TOGETHER_BASE_URL'],
  },
  quirks: { ...MAX_TOKENS, reasoningField: { default: 'reasoning' } },
});

export const fireworks: ProviderDescriptor = /* @__PURE__ */ compatible({
  id: 'fireworks',
  issuer: 'api.fireworks.ai',
  connection: {
    baseUrl: 'https://api.fireworks.ai/inference/v1',
    keyVariables: ['FIREWORKS_API_KEY'],
    baseUrlVariables: ['FIREWORKS_BASE_URL'],
  },
  quirks: { ...MAX_TOKENS, reasoningField: { default: 'reasoning_content' } },
});

export const cerebras: ProviderDescriptor = /* @__PURE__ */ compatible({
  id: 'cerebras',
  issuer: 'api.cerebras.ai',
  connection: {
    baseUrl: 'https://api.cerebras.ai',
    path: '/v1/chat/completions',
    keyVariables: ['CEREBRAS_API_KEY'],
    baseUrlVariables: ['CEREBRAS_BASE_URL'],
  },
  policies: {
    // It takes its own `reasoning` back, and refuses the name that others use: `wrong_api_format`.
    refusedFields: ['reasoning_content'],
    prefill: { default: 'no' },
    media: { user: [], toolResult: [] },
  },
  quirks: { reasoningField: { default: 'reasoning' } },
});

export const moonshot: ProviderDescriptor = /* @__PURE__ */ compatible({
  id: 'moonshot',
  issuer: 'api.moonshot.ai',
  connection: {
    baseUrl: 'https://api.moonshot.ai/v1',
    keyVariables: ['MOONSHOT_API_KEY'],
    baseUrlVariables: ['MOONSHOT_BASE_URL'],
  },
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

export const zai: ProviderDescriptor = /* @__PURE__ */ compatible({
  id: 'zai',
  issuer: 'api.z.ai',
  connection: {
    baseUrl: 'https://api.z.ai/api/paas/v4',
    keyVariables: ['ZAI_API_KEY'],
    baseUrlVariables: ['ZAI_BASE_URL'],
  },
  policies: { prefill: { default: 'no' } },
  quirks: { ...MAX_TOKENS, ...JSON_ONLY, reasoningField: { default: 'reasoning_content' } },
});
