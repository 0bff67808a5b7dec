import { openaiChatHome } from '../../dialects/openai-chat/provider.ts';
import type { Connection, Policies, ProviderDescriptor } from '../../dialects/provider.ts';

/** What a provider that speaks Chat Completions has of its own; the rest is as OpenAI has it. */
interface Own {
  readonly id: string;
  readonly issuer: string;
  readonly connection: Partial<Connection> & Pick<Connection, 'baseUrl' | 'keyVariables' | 'baseUrlVariables'>;
  readonly policies?: Partial<Omit<Policies, 'quirks'>>;
  readonly quirks?: Policies['quirks'];
}

export function compatible({ id, issuer, connection, policies, quirks }: Own): ProviderDescriptor {
  const home = openaiChatHome;
  return {
    id,
    dialect: home.dialect,
    issuer,
    connection: { ...home.connection!, ...connection },
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
