import type { ProviderDescriptor } from '../../dialects/provider.ts';
import { compatible, MAX_TOKENS } from './compatible.ts';

export const mistral: ProviderDescriptor = /* @__PURE__ */ compatible({
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
  },
});
