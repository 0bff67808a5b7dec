import type { ProviderDescriptor } from '../../dialects/provider.ts';
import { compatible, MAX_TOKENS } from './compatible.ts';

export const deepseek: ProviderDescriptor = /* @__PURE__ */ compatible({
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
