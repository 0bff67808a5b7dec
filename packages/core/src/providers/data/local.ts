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
  baseUrl: 'http://localhost:11434/v1',
  issuer: 'ollama',
  connection: { needsKey: false },
  quirks: { ...MAX_TOKENS, reasoningField: { default: 'reasoning' } },
});

export const lmstudio: ProviderDescriptor = /* @__PURE__ */ compatible({
  id: 'lmstudio',
  baseUrl: 'http://localhost:1234/v1',
  issuer: 'lmstudio',
  connection: { needsKey: false },
  policies: STRICT_TEMPLATE,
  quirks: { ...MAX_TOKENS, reasoningField: { default: 'reasoning' } },
});

/** Any address that speaks Chat Completions. Nothing is known of it, so the strictest rules hold. */
export const openaiCompatible: ProviderDescriptor = /* @__PURE__ */ compatible({
  id: 'openai-compatible',
  baseUrl: '',
  issuer: '{host}',
  connection: { needsKey: false },
  policies: STRICT_TEMPLATE,
  quirks: MAX_TOKENS,
});
