import type { ProviderDescriptor } from '../provider.ts';

export const DIALECT = 'anthropic-messages';

/** Claude models up to 4.5. Named by family where `*` would also match later versions, such as `claude-opus-5-4`. */
const BEFORE_4_6 = [
  '*claude-instant*',
  '*claude-2*',
  '*claude-3*',
  ...['opus', 'sonnet'].flatMap((family) => undated(family, '4')),
  '*claude-*-4-0*',
  '*claude-*-4-1*',
  '*claude-*-4-5*',
];

/** Those that cannot be held to a schema. */
const BEFORE_4_5 = BEFORE_4_6.filter((pattern) => !pattern.includes('-4-5'));

const ONLY_4_6 = ['*claude-*-4-6*'];

/** The preview came before system messages were taken inside a conversation. */
const BEFORE_4_8 = [...BEFORE_4_6, ...ONLY_4_6, '*claude-*-4-7*', '*claude-mythos-preview*'];

const BEFORE_5_1 = [
  ...BEFORE_4_8,
  '*claude-*-4-8*',
  ...['opus', 'sonnet', 'haiku', 'fable', 'mythos'].flatMap((family) => undated(family, '5')),
];

const ALWAYS_THINKING = ['*claude-fable-*', '*claude-mythos-*', '*claude-opus-5-5*', '*claude-sonnet-5-5*'];

/** A model by its plain name and by the names that only add a date. */
function undated(family: string, version: string): string[] {
  const name = `*claude-${family}-${version}`;
  return [name, `${name}-20*`, `${name}@*`, `${name}-latest`];
}

const all = <T>(patterns: readonly string[], value: T): (readonly [string, T])[] =>
  patterns.map((pattern) => [pattern, value] as const);

const MEDIA = ['image/jpeg', 'image/png', 'image/gif', 'image/webp', 'application/pdf', 'text/plain'];

/** The home of the Messages protocol. Rules by id: `wire-rules.md`, section 1. */
export const anthropic: ProviderDescriptor = {
  id: 'anthropic',
  dialect: DIALECT,
  issuer: 'api.anthropic.com',
  apiVersion: '2023-06-01',
  connection: {
    baseUrl: 'https://api.anthropic.com',
    path: '/v1/messages',
    auth: [{ header: 'x-api-key', value: '{key}' }],
    keyVariables: ['ANTHROPIC_API_KEY'],
    baseUrlVariables: ['ANTHROPIC_BASE_URL'],
    headers: { 'anthropic-version': '{apiVersion}' },
    // As the SDK does since its release 1.0.
    versions: {
      '2026-10-21': {
        auth: [{ header: 'authorization', value: 'Bearer {key}' }],
        keyVariables: ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN'],
      },
    },
  },
  policies: {
    toolIds: { pattern: '^[a-zA-Z0-9_-]+$', maxLength: 64 },
    toolNames: { pattern: '^[a-zA-Z0-9_-]{1,128}$', maxLength: 128 },
    // extra-block: given in tool search results, refused when they come back.
    refusedFields: ['content.*.content.error_message'],
    // system-role
    inlineSystem: { default: 'after-user', models: all(BEFORE_4_8, 'never' as const) },
    // prefill, trailing-space
    prefill: { default: 'no', models: all(BEFORE_4_6, 'trimmed' as const) },
    // signature, prefix-binding
    reasoningBoundTo: { default: ['model', 'prefix'], models: all(BEFORE_5_1, ['model'] as const) },
    modelAliases: [['^claude-(opus|sonnet)-4-0$', 'claude-$1-4']],
    media: { user: MEDIA, toolResult: MEDIA },
    // The API itself joins messages of one role.
    alternateRoles: false,
    quirks: {
      /** How thinking is asked for (`thinking-enabled-unsupported`, `adaptive-unsupported`): by a budget, by effort, or either. */
      thinking: { default: 'effort', models: [...all(BEFORE_4_6, 'budget'), ...all(ONLY_4_6, 'either')] },
      /** Models whose thinking cannot be switched off (`thinking-disabled-unsupported`). */
      alwaysThinks: { default: false, models: all(ALWAYS_THINKING, true) },
      /** How an answer by a schema is asked for: by `output_config.format`, or as the arguments of a tool. */
      output: { default: 'format', models: all(BEFORE_4_5, 'tool') },
      /** Which members stand in the address and not in the body, as at the clouds: `model`, `stream`. */
      inAddress: { default: '' },
    },
  },
};
