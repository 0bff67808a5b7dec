import { forModel } from '../provider.ts';
import { type Entry, located, writtenEntry } from './entry.ts';
import { rewritten } from './notes.ts';
import type { RequestWriter, Target } from './writer.ts';

/**
 * Where system messages may only follow a user turn and precede an answer (`system-placement`), one that stands
 * elsewhere becomes user text in its place; it never moves to the top-level system, which would change the prefix.
 */
export function placeInlineSystem(entries: readonly Entry[], writer: RequestWriter, target: Target): readonly Entry[] {
  if (forModel(target.provider.policies.inlineSystem, target.model) !== 'after-user') return entries;
  if (!entries.some(isSystem)) return entries;
  return entries.map((entry, index) => {
    if (!isSystem(entry)) return entry;
    const before = entries.slice(0, index).findLast((other) => !isSystem(other));
    const after = entries.slice(index + 1).find((other) => !isSystem(other));
    const fits =
      (before?.unit.role === 'user' || before?.unit.role === 'tool') && (!after || after.unit.role === 'assistant');
    if (fits) return entry;
    const note = rewritten('', 'inline-system');
    return writtenEntry(writer.userText(entry.message?.text ?? '', target), entry.of, [
      ...entry.losses,
      located(note, entry.of[0] ?? -1),
    ]);
  });
}

function isSystem(entry: Entry): boolean {
  return entry.unit.role === 'system';
}
