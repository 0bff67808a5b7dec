import { checkMessages, type Message } from '../../message/index.ts';
import { applyConfig } from './apply-config.ts';
import type { ConfigDelta, ConversationConfig } from './config.ts';
import { ConversationConfigurationError, DeltaApplicationError } from './errors.ts';

/** Changes to a conversation: messages to append, and configuration. */
export interface Delta {
  readonly messages?: Iterable<Message>;
  readonly config?: ConfigDelta;
}

/** What a conversation would be with the changes. Nothing is touched, so that what cannot be applied leaves no trace. */
export function withDelta(
  config: ConversationConfig,
  { messages = [], config: changes = {} }: Delta,
): { readonly added: readonly Message[]; readonly config: ConversationConfig } {
  try {
    const added = checkMessages(messages);
    return { added, config: applyConfig(config, changes) };
  } catch (error) {
    if (error instanceof ConversationConfigurationError) throw error;
    throw new DeltaApplicationError(error instanceof Error ? error.message : String(error), error);
  }
}
