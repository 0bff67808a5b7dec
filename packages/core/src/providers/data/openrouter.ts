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
