import type { ProviderDescriptor } from '../../dialects/provider.ts';
import { compatible, MAX_TOKENS } from './compatible.ts';

/** They know JSON in `response_format`, but no schema, and take no forced call. */
const JSON_ONLY = { output: { default: 'tool' }, alwaysThinks: { default: true } } as const;

export const xai: ProviderDescriptor = /* @__PURE__ */ compatible({
  id: 'xai',
  names: { otel: 'x_ai', prices: 'x-ai' },
  baseUrl: 'https://api.x.ai/v1',
  quirks: { reasoningField: { default: 'reasoning_content' } },
});

export const together: ProviderDescriptor = /* @__PURE__ */ compatible({
  id: 'together',
  baseUrl: 'https://api.together.xyz/v1',
  connection: { keyVariables: ['TOGETHER_API_KEY', 'TOGETHER_AI_API_KEY'] },
  quirks: { ...MAX_TOKENS, reasoningField: { default: 'reasoning' } },
});

export const fireworks: ProviderDescriptor = /* @__PURE__ */ compatible({
  id: 'fireworks',
  baseUrl: 'https://api.fireworks.ai/inference/v1',
  quirks: { ...MAX_TOKENS, reasoningField: { default: 'reasoning_content' } },
});

export const cerebras: ProviderDescriptor = /* @__PURE__ */ compatible({
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

export const moonshot: ProviderDescriptor = /* @__PURE__ */ compatible({
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

export const zai: ProviderDescriptor = /* @__PURE__ */ compatible({
  id: 'zai',
  baseUrl: 'https://api.z.ai/api/paas/v4',
  policies: { prefill: { default: 'no' } },
  quirks: { ...MAX_TOKENS, ...JSON_ONLY, reasoningField: { default: 'reasoning_content' } },
});
