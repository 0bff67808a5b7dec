import type { ProviderDescriptor } from '../provider.ts';

export const DIALECT = 'openai-chat';

/**
 * api.openai.com, Chat Completions. What this dialect asks of `quirks`, each by model:
 * - `systemRole`: the role system text is written with, `system` or `developer`.
 * - `maxTokensField`: the name of the token limit, `max_completion_tokens` or `max_tokens`.
 * - `reasoningField`: where a compatible provider puts visible thoughts, `reasoning_content` or `reasoning`; for
 *   people and tools that look at the descriptor, since the view knows both names.
 * - `sendReasoning`: whether stored reasoning fields go back to the issuer that gave them. DeepSeek insists on it
 *   (`deepseek-reasoning`), others refuse unknown fields.
 * - `thoughtCalls`: whether every message with calls must have reasoning; those that came without get a stand-in.
 * - `audio`: whether the model hears; where it does not, sound is left out though the provider takes it (`audio-model`).
 * - `streamUsage`: whether `stream_options` asks for usage; some compatible providers refuse it.
 * - `alwaysThinks`: whether a call cannot be forced, because the model thinks or the API knows only `auto`.
 * - `effort`: whether the model takes `reasoning_effort`.
 * - `output`: how an answer by a schema is asked for, by `response_format` (`format`) or as the arguments of a `tool`.
 */
export const openaiChatHome: ProviderDescriptor = {
  id: 'openai-chat',
  names: { otel: 'openai', prices: 'openai' },
  dialect: DIALECT,
  issuer: 'api.openai.com',
  connection: {
    baseUrl: 'https://api.openai.com/v1',
    path: '/chat/completions',
    auth: [{ header: 'authorization', value: 'Bearer {key}' }],
    keyVariables: ['OPENAI_API_KEY'],
    baseUrlVariables: ['OPENAI_BASE_URL'],
  },
  policies: {
    toolIds: { pattern: '^[a-zA-Z0-9_-]+$', maxLength: 40 },
    toolNames: { pattern: '^[a-zA-Z0-9_-]+$', maxLength: 64 },
    // Audio is echoed as its id alone.
    refusedFields: ['audio.data', 'audio.expires_at', 'audio.transcript'],
    // role
    inlineSystem: {
      default: 'anywhere',
      models: [
        ['*o1-mini*', 'never'],
        ['*o1-preview*', 'never'],
      ],
    },
    prefill: { default: 'yes' },
    reasoningBoundTo: { default: [] },
    media: { user: ['image/*', 'audio/wav', 'audio/mpeg', 'audio/mp3', 'application/pdf'], toolResult: [] },
    alternateRoles: false,
    quirks: {
      systemRole: { default: 'system' },
      maxTokensField: { default: 'max_completion_tokens' },
      reasoningField: { default: '' },
      sendReasoning: { default: true },
      thoughtCalls: { default: false },
      audio: { default: false, models: [['*audio*', true]] },
      streamUsage: { default: true },
      alwaysThinks: { default: false },
      effort: {
        default: true,
        models: [
          ['gpt-3*', false],
          ['gpt-4*', false],
          ['chatgpt-*', false],
        ],
      },
      output: { default: 'format' },
    },
  },
};
