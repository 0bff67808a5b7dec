/** Where thinking blocks must and must not stand. */
import { first, type Rule } from './rule.ts';
import { isThinking, type Turn } from './turns.ts';

/** The first assistant turn of the tool loop the request is in; an answer that is to be continued is part of it. */
function loopStart(dialogue: readonly Turn[]): Turn | undefined {
  const last = dialogue.at(-1);
  let start = last?.role === 'assistant' ? last : undefined;
  for (let index = dialogue.length - (start ? 2 : 1); index > 0; index -= 2) {
    const user = dialogue[index];
    if (user?.role !== 'user' || !user.blocks.some(({ type }) => type === 'tool_result')) break;
    start = dialogue[index - 1];
  }
  return start;
}

export const thinkingPlaceRules: readonly Rule[] = [
  {
    // Manual thinking only, and only in an unfinished tool loop or an unfinished answer.
    id: 'thinking-first',
    check: ({ thinking, dialogue }) => {
      const start = thinking.type === 'enabled' ? loopStart(dialogue)?.blocks[0] : undefined;
      return start === undefined || isThinking(start)
        ? undefined
        : `${start.path}.type: Expected \`thinking\` or \`redacted_thinking\`, but found \`${start.type}\`. When \`thinking\` is enabled, a final \`assistant\` message must start with a thinking block (preceeding the lastmost set of \`tool_use\` and \`tool_result\` blocks). We recommend you include thinking blocks from previous turns. To avoid this requirement, disable \`thinking\`. Please consult our documentation at https://docs.claude.com/en/docs/build-with-claude/extended-thinking`;
    },
  },
  {
    id: 'thinking-last',
    check: ({ dialogue }) =>
      first(dialogue, ({ role, blocks }) => {
        const end = blocks.at(-1);
        return role === 'assistant' && end && isThinking(end)
          ? `messages.${end.message}: The final block in an assistant message cannot be \`thinking\`.`
          : undefined;
      }),
  },
];
