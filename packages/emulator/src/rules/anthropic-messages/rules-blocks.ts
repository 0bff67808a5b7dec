/** Which blocks may stand in which message. */
import { first, type Rule } from './rule.ts';
import { isServerCall, isServerResult, isThinking, type Placed } from './turns.ts';

const USER_ONLY = new Set(['tool_result', 'image', 'document', 'search_result', 'container_upload']);
const isAssistantOnly = (placed: Placed): boolean =>
  placed.type === 'tool_use' || isThinking(placed) || isServerCall(placed) || isServerResult(placed);

export const blockRules: readonly Rule[] = [
  {
    // Named in wire-rules "Unsure" 9: the rule is certain, its wording is not.
    id: 'block-role',
    check: ({ turns }) =>
      first(turns, ({ role, blocks }) => {
        const stray = blocks.find((placed) =>
          role === 'assistant' ? USER_ONLY.has(placed.type) : isAssistantOnly(placed),
        );
        const allowed = role === 'assistant' ? 'user' : 'assistant';
        return stray && `${stray.path}: \`${stray.type}\` blocks can only be in \`${allowed}\` messages`;
      }),
  },
];
