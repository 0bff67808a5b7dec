import type { ProviderDescriptor } from '../../dialects/provider.ts';
import { compatible } from './compatible.ts';

export const groq: ProviderDescriptor = /* @__PURE__ */ compatible({
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
