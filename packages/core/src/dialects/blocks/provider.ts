import type { ProviderDescriptor } from '../provider.ts';

/** Skein itself: the home of what people and programs write. It takes everything. */
export const skein: ProviderDescriptor = Object.freeze({
  id: 'skein',
  dialect: 'blocks',
  issuer: 'skein',
  policies: {
    toolIds: { pattern: '^[^]+$', maxLength: Number.MAX_SAFE_INTEGER },
    toolNames: { pattern: '^[^]+$', maxLength: Number.MAX_SAFE_INTEGER },
    refusedFields: [],
    inlineSystem: { default: 'anywhere' },
    prefill: { default: 'yes' },
    reasoningBoundTo: { default: [] },
    media: { user: ['*'], toolResult: ['*'] },
    alternateRoles: false,
    quirks: {},
  },
} satisfies ProviderDescriptor);
