import type { ProviderDescriptor } from '../provider.ts';

export const DIALECT = 'cohere-chat';

/** The home of the chat API, version 2. Rules by id: `wire-rules.md`, the section on Cohere. */
export const cohere: ProviderDescriptor = {
  id: 'cohere',
  dialect: DIALECT,
  issuer: 'api.cohere.com',
  connection: {
    baseUrl: 'https://api.cohere.com',
    path: '/v2/chat',
    auth: [{ header: 'authorization', value: 'Bearer {key}' }],
    keyVariables: ['COHERE_API_KEY', 'CO_API_KEY'],
    baseUrlVariables: ['COHERE_BASE_URL', 'CO_API_URL'],
  },
  policies: {
    toolIds: { pattern: '^[\\x21-\\x7e]+$', maxLength: 128 },
    toolNames: { pattern: '^[a-zA-Z_][a-zA-Z0-9_]*$', maxLength: 64 },
    refusedFields: [],
    inlineSystem: { default: 'anywhere' },
    // assistant-last
    prefill: { default: 'no' },
    // Thoughts are plain text, and go back as they came.
    reasoningBoundTo: { default: [] },
    media: { user: ['image/*'], toolResult: [] },
    alternateRoles: false,
    quirks: {
      /** A schema for the answer is not taken beside tools: there, the answer is the arguments of a tool. */
      outputWithTools: { default: 'tool' },
    },
  },
};
