import { openaiChatHome } from '../../dialects/openai-chat/provider.ts';
import type { Connection, Policies, ProviderDescriptor } from '../../dialects/provider.ts';

/** What a provider that speaks Chat Completions has of its own; the rest is as OpenAI has it. */
interface Own {
  readonly id: string;
  readonly baseUrl: string;
  readonly names?: ProviderDescriptor['names'];
  /** Default: the host. */
  readonly issuer?: string;
  /** Variables are named after the id, unless given. */
  readonly connection?: Partial<Connection>;
  readonly policies?: Partial<Omit<Policies, 'quirks'>>;
  readonly quirks?: Policies['quirks'];
}

export function compatible({ id, baseUrl, names, issuer, connection, policies, quirks }: Own): ProviderDescriptor {
  const home = openaiChatHome;
  const name = id.toUpperCase().replace('-', '_');
  return {
    id,
    dialect: home.dialect,
    ...(names && { names }),
    issuer: issuer ?? baseUrl.split('/')[2]!,
    connection: {
      ...home.connection!,
      baseUrl,
      keyVariables: [`${name}_API_KEY`],
      baseUrlVariables: [`${name}_BASE_URL`],
      ...connection,
    },
    policies: {
      ...home.policies,
      // Most take images and nothing else; what takes more says so.
      media: { user: ['image/*'], toolResult: [] },
      ...policies,
      quirks: { ...home.policies.quirks, ...quirks },
    },
  };
}

/** The name that the token limit had before OpenAI changed it; most have kept it. */
export const MAX_TOKENS = { maxTokensField: { default: 'max_tokens' } } as const;
