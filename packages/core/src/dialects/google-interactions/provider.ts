import type { ProviderDescriptor } from '../provider.ts';

export const DIALECT = 'google-interactions';

/** The Gemini API by its Interactions. Quirk: `store` is what is sent where `extra` does not say. */
export const googleInteractionsHome: ProviderDescriptor = {
  id: 'google-interactions',
  names: { otel: 'gcp.gemini', prices: 'google' },
  dialect: DIALECT,
  issuer: 'generativelanguage.googleapis.com',
  apiVersion: 'v1beta',
  connection: {
    baseUrl: 'https://generativelanguage.googleapis.com',
    path: '/{apiVersion}/interactions',
    auth: [{ header: 'x-goog-api-key', value: '{key}' }],
    keyVariables: ['GEMINI_API_KEY', 'GOOGLE_API_KEY'],
    baseUrlVariables: ['GOOGLE_GEMINI_BASE_URL'],
  },
  policies: {
    toolIds: { pattern: '^[\\x21-\\x7e]+$', maxLength: 128 },
    toolNames: { pattern: '^[a-zA-Z_][a-zA-Z0-9_.:-]*$', maxLength: 128 },
    refusedFields: [],
    inlineSystem: { default: 'never' },
    prefill: { default: 'no' },
    reasoningBoundTo: { default: [] },
    media: {
      user: ['image/*', 'audio/*', 'video/*', 'application/pdf', 'text/*'],
      toolResult: ['image/*', 'audio/*', 'video/*', 'application/pdf', 'text/*'],
    },
    alternateRoles: false,
    quirks: { store: { default: false } },
  },
};
