import type { ProviderDescriptor } from '../provider.ts';

/** Versions that take a request which ends with a message of the model. */
const OLDER = ['1.', '2.', '3-', '3.0-', '3.1-', '3.2-', '3.3-', '3.4-', '3.5-'];

/** The Gemini API. */
export const google: ProviderDescriptor = {
  id: 'google',
  names: { otel: 'gcp.gemini' },
  dialect: 'google-generatecontent',
  issuer: 'generativelanguage.googleapis.com',
  apiVersion: 'v1beta',
  aliases: ['gemini'],
  connection: {
    baseUrl: 'https://generativelanguage.googleapis.com',
    path: '/{apiVersion}/models/{model}:generateContent',
    streamPath: '/{apiVersion}/models/{model}:streamGenerateContent?alt=sse',
    auth: [{ header: 'x-goog-api-key', value: '{key}' }],
    keyVariables: ['GEMINI_API_KEY', 'GOOGLE_API_KEY'],
    baseUrlVariables: ['GOOGLE_GEMINI_BASE_URL'],
  },
  policies: {
    // Any text is taken as an id, so that the ids of other providers travel unchanged.
    toolIds: { pattern: '^[\\x21-\\x7e]+$', maxLength: 128 },
    toolNames: { pattern: '^[a-zA-Z_][a-zA-Z0-9_.:-]*$', maxLength: 128 },
    refusedFields: [],
    inlineSystem: { default: 'never' },
    // `model-tail`: names that are not known are taken for newer models, which refuse it.
    prefill: {
      default: 'no',
      models: [['*gemini-3.5-flash-lite*', 'no'], ...OLDER.map((version) => [`*gemini-${version}*`, 'yes'] as const)],
    },
    // A signature verifies behind any prefix and for any model of its issuer.
    reasoningBoundTo: { default: [] },
    media: { user: ['image/*', 'audio/*', 'video/*', 'application/pdf', 'text/*'], toolResult: [] },
    alternateRoles: false,
    quirks: {
      // `sig-missing`: whether the first call of a message must carry a thought signature.
      signatureRequired: {
        default: true,
        models: [
          ['*image*', false],
          ['*gemini-1.*', false],
          ['*gemini-2.*', false],
          ['*gemma*', false],
        ],
      },
      // Whether thinking is asked for by level (`thinkingLevel`) or only by a number of tokens (`thinkingBudget`).
      thinkingLevels: { default: true, models: [['*gemini-2.*', false]] },
      // Older models take no functions beside a JSON answer: there, the answer is the arguments of a function.
      outputWithTools: {
        default: 'format',
        models: [
          ['*gemini-1.*', 'tool'],
          ['*gemini-2.*', 'tool'],
        ],
      },
    },
  },
};
