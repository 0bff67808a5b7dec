import type { Policies, ProviderDescriptor } from '../../dialects/provider.ts';
import { compatible, MAX_TOKENS } from './compatible.ts';

/** Servers that apply the chat template a model came with; many templates insist on turns and on one system text in front. */
const STRICT_TEMPLATE = {
  alternateRoles: true,
  inlineSystem: { default: 'never' },
  prefill: { default: 'no' },
} as const satisfies Partial<Policies>;

export const ollama: ProviderDescriptor = /* @__PURE__ */ compatible({
  id: 'ollama',
  issuer: 'ollama',
  connection: {
    baseUrl: 'http://localhost:11434/v1',
    keyVariables: ['OLLAMA_API_KEY'],
    baseUrlVariables: ['OLLAMA_BASE_URL'],
    needsKey: false,
  },
  quirks: { ...MAX_TOKENS, reasoningField: { default: 'reasoning' } },
});

export const lmstudio: ProviderDescriptor = /* @__PURE__ */ compatible({
  id: 'lmstudio',
  issuer: 'lmstudio',
  connection: {
    baseUrl: 'http://localhost:1234/v1',
    keyVariables: ['LMSTUDIO_API_KEY'],
    baseUrlVariables: ['LMSTUDIO_BASE_URL'],
    needsKey: false,
  },
  policies: STRICT_TEMPLATE,
  quirks: { ...MAX_TOKENS, reasoningField: { default: 'reasoning' } },
});

/** Any address that speaks Chat Completions. Nothing is known of it, so the strictest rules hold. */
export const openaiCompatible: ProviderDescriptor = /* @__PURE__ */ compatible({
  id: 'openai-compatible',
  issuer: '{host}',
  connection: {
    baseUrl: '',
    keyVariables: ['OPENAI_COMPATIBLE_API_KEY'],
    baseUrlVariables: ['OPENAI_COMPATIBLE_BASE_URL'],
    needsKey: false,
  },
  policies: STRICT_TEMPLATE,
  quirks: MAX_TOKENS,
});
