/** `role: "system"` inside `messages`. */
import { takesSystemRole } from './models.ts';
import { first, type Rule } from './rule.ts';
import { isServerCall, isServerResult } from './turns.ts';

export const systemRules: readonly Rule[] = [
  {
    id: 'system-role',
    check: ({ turns, model }) =>
      turns.some((turn) => turn.role === 'system') && !takesSystemRole(model)
        ? "role 'system' is not supported on this model"
        : undefined,
  },
  {
    // Several system messages in a row are one turn here; they are accepted (wire-rules, "surprises").
    id: 'system-placement',
    check: ({ turns }) =>
      first(turns.entries(), ([index, turn]) => {
        if (turn.role !== 'system') return undefined;
        const before = turns[index - 1];
        const end = before?.blocks.at(-1);
        const follows = before?.role === 'user' || isServerCall(end) || isServerResult(end);
        return follows
          ? undefined
          : `messages.${turn.first}: role 'system' must follow a 'user' message or an 'assistant' message that ends in a server tool use`;
      }),
  },
  {
    id: 'system-placement-after',
    check: ({ turns }) =>
      first(turns.entries(), ([index, turn]) => {
        const after = turns[index + 1];
        return turn.role !== 'system' || after === undefined || after.role === 'assistant'
          ? undefined
          : `messages.${turn.first}: role 'system' must be the last message or be followed by an 'assistant' message`;
      }),
  },
];
