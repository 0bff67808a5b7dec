import type { ProviderDescriptor } from '../../dialects/provider.ts';
import { compatible } from './compatible.ts';

export const openrouter: ProviderDescriptor = /* @__PURE__ */ compatible({
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
    reasoningBoundTo: { default: ['model'], models: [['*claude*', ['model', 'prefix']]] },
  },
  quirks: { reasoningField: { default: 'reasoning' }, audio: { default: true } },
});
