import type { ProviderDescriptor } from '../../dialects/provider.ts';
import { compatible, MAX_TOKENS } from './compatible.ts';

export const mistral: ProviderDescriptor = /* @__PURE__ */ compatible({
  id: 'mistral',
  issuer: 'api.mistral.ai',
  connection: {
    baseUrl: 'https://api.mistral.ai',
    path: '/v1/chat/completions',
    keyVariables: ['MISTRAL_API_KEY'],
    baseUrlVariables: ['MISTRAL_BASE_URL'],
  },
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
