import { anthropic } from '../anthropic-messages/provider.ts';
import type { Connection, ProviderDescriptor } from '../provider.ts';

export const DIALECT = 'bedrock-converse';

/** The regions that profiles of models are named for, and the versions that names end with, say nothing of the model. */
const MODEL_ALIASES: readonly (readonly [string, string])[] = [
  ['^(?:us|us-gov|eu|apac|jp|au|ca|global)\\.', ''],
  ['-v\\d+(?::\\d+)?$', ''],
  ['-\\d{8}$', ''],
];

/** The address in a region, and the credentials of AWS: a key of Bedrock, or a signature with those of an account. */
export const bedrockConnection: Connection = {
  baseUrl: 'https://bedrock-runtime.us-east-1.amazonaws.com',
  locate: (env) => ({ baseUrl: `https://bedrock-runtime.${findRegion(env)}.amazonaws.com` }),
  path: '/model/{model}/converse',
  streamPath: '/model/{model}/converse-stream',
  auth: [{ header: 'authorization', value: 'Bearer {key}' }],
  keyVariables: ['AWS_BEARER_TOKEN_BEDROCK'],
  baseUrlVariables: ['AWS_ENDPOINT_URL_BEDROCK_RUNTIME', 'AWS_ENDPOINT_URL'],
  signer: 'aws-sigv4',
  credentialVariables: ['AWS_ACCESS_KEY_ID'],
};

/** The region that the environment names. */
function findRegion(env: Readonly<Record<string, string | undefined>>): string {
  return env.AWS_REGION?.trim() || env.AWS_DEFAULT_REGION?.trim() || 'us-east-1';
}

const DOCUMENTS = [
  'application/pdf',
  'text/csv',
  'text/html',
  'text/plain',
  'text/markdown',
  'application/msword',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  'application/vnd.ms-excel',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
];

const MEDIA = ['image/png', 'image/jpeg', 'image/gif', 'image/webp', ...DOCUMENTS];

const { policies } = anthropic;

/** The home of Converse. Rules by id: `wire-rules.md`, section 6. */
export const bedrock: ProviderDescriptor = {
  id: 'bedrock',
  dialect: DIALECT,
  issuer: 'bedrock-runtime.amazonaws.com',
  names: { otel: 'aws.bedrock', prices: 'aws' },
  aliases: ['aws-bedrock'],
  hosts: /^bedrock-runtime(?:-fips)?\.[a-z0-9-]+\.amazonaws\.com(?:\.cn)?$/,
  connection: bedrockConnection,
  policies: {
    // Those of Anthropic take no others; an id that a model gave itself goes back as it is.
    toolIds: { pattern: '^[a-zA-Z0-9_-]+$', maxLength: 64 },
    toolNames: { pattern: '^[a-zA-Z0-9_-]+$', maxLength: 64 },
    refusedFields: [],
    inlineSystem: { default: 'never' },
    prefill: { default: 'no', models: policies.prefill.models ?? [] },
    // The models of Anthropic sign their reasoning; that of others is theirs alone, too.
    reasoningBoundTo: {
      default: ['model'],
      models: [...(policies.reasoningBoundTo.models ?? []), ['*claude*', ['model', 'prefix']]],
    },
    modelAliases: MODEL_ALIASES,
    media: { user: MEDIA, toolResult: MEDIA },
    // roles-alternate
    alternateRoles: true,
    quirks: {
      /** How reasoning is asked for: the member of `additionalModelRequestFields`, which differs by the maker. */
      reasoning: {
        default: false,
        models: [
          ['*anthropic.claude*', 'thinking'],
          ['*amazon.nova-2*', 'reasoningConfig'],
          ['*openai.gpt-oss*', 'reasoning_effort'],
          ['*qwen*', 'reasoning_config'],
          ['*deepseek*', 'reasoning_config'],
        ],
      },
      thinking: policies.quirks.thinking!,
      alwaysThinks: policies.quirks.alwaysThinks!,
      /** Whether reasoning must carry a signature (`signature`). */
      signs: { default: false, models: [['*claude*', true]] },
      /** Where cache points are taken (`cache-unsupported`). What is behind the name of a profile is not known. */
      cache: {
        default: '',
        models: [
          ...['*claude-instant*', '*claude-v2*', '*claude-3-haiku*', '*claude-3-sonnet*', '*claude-3-opus*'].map(
            (pattern) => [pattern, ''] as const,
          ),
          ['*claude-3-5-sonnet-20240620*', ''],
          ['*anthropic.claude*', 'tools system messages'],
          ['*amazon.nova*', 'system messages'],
        ],
      },
      /** How an answer by a schema is asked for: by `outputConfig`, or as the arguments of a tool. */
      output: {
        default: 'tool',
        models: [
          ...(policies.quirks.output!.models ?? []),
          ...[
            '*anthropic.claude*',
            '*qwen*',
            '*gpt-oss*',
            '*deepseek*',
            '*google.gemma*',
            '*minimax*',
            '*mistral-large-3*',
          ].map((pattern) => [pattern, 'format'] as const),
        ],
      },
    },
  },
};
