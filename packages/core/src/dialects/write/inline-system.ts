import { forModel } from '../provider.ts';
import { type Entry, inPlaceOf } from './entry.ts';
import type { Job } from './job.ts';
import { rewritten } from './notes.ts';
import { plainTexts } from './text.ts';

/**
 * Where system messages may only follow a user turn and precede an answer (`system-placement`), one that stands
 * elsewhere becomes user text in its place; it never moves to the top-level system, which would change the prefix.
 */
export function placeInlineSystem(entries: readonly Entry[], { writer, target }: Job): readonly Entry[] {
  if (forModel(target.provider.policies.inlineSystem, target.model) !== 'after-user') return entries;
  return entries.map((entry, index) => {
    if (!isSystem(entry)) return entry;
    const before = entries.slice(0, index).findLast((other) => !isSystem(other))?.role;
    const after = entries.slice(index + 1).find((other) => !isSystem(other))?.role;
    return (before === 'user' || before === 'tool') && (after ?? 'assistant') === 'assistant'
      ? entry
      : inPlaceOf(
          entry,
          writer.userText(plainTexts(entry.message?.content ?? []), target),
          rewritten('', 'inline-system'),
        );
  });
}

function isSystem({ role }: Entry): boolean {
  return role === 'system';
}
