import type { ProviderDescriptor } from '../provider.ts';

export const DIALECT = 'openai-responses';

/**
 * Quirks: `store` is what is sent where `extra` does not say; `encryptedReasoning` says whether reasoning comes as
 * ciphertext, to be asked for when nothing is stored. Models that do not reason refuse to be asked.
 */
export const openai: ProviderDescriptor = Object.freeze({
  id: 'openai',
  dialect: DIALECT,
  issuer: 'api.openai.com/responses',
  connection: {
    baseUrl: 'https://api.openai.com/v1',
    path: '/responses',
    auth: [{ header: 'authorization', value: 'Bearer {key}' }],
    keyVariables: ['OPENAI_API_KEY'],
    baseUrlVariables: ['OPENAI_BASE_URL'],
  },
  policies: {
    toolIds: { pattern: '^[a-zA-Z0-9_-]+$', maxLength: 64 },
    toolNames: { pattern: '^[a-zA-Z0-9_-]+$', maxLength: 64 },
    refusedFields: [],
    inlineSystem: { default: 'anywhere' },
    prefill: { default: 'yes' },
    reasoningBoundTo: { default: ['account'] },
    media: { user: ['image/*', 'application/pdf'], toolResult: ['image/*', 'application/pdf'] },
    alternateRoles: false,
    quirks: {
      /** Whether parts of messages take breakpoints of the prompt cache. */
      breakpoints: {
        default: false,
        models: [
          ['gpt-5.6*', true],
          ['gpt-5.7*', true],
          ['gpt-6*', true],
        ],
      },
      store: { default: false },
      encryptedReasoning: {
        default: true,
        models: [
          ['gpt-3*', false],
          ['gpt-4*', false],
          ['chatgpt-*', false],
        ],
      },
    },
  },
} satisfies ProviderDescriptor);
