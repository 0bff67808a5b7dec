import { type Entry, located, writtenEntry } from './entry.ts';
import { synthesised } from './notes.ts';
import type { RequestWriter, Target } from './writer.ts';

/** What stands before a call that would otherwise be the first thing in the conversation. */
const BEGINNING = 'The conversation so far:';

/** Puts a user message before a turn of calls where the target takes none at the front (`call-first`). */
export function openWithUser(entries: readonly Entry[], writer: RequestWriter, target: Target): readonly Entry[] {
  if (!writer.callsFollowUser) return entries;
  const other = entries.findIndex(({ unit }) => unit.role !== 'assistant');
  const opening = other < 0 ? entries : entries.slice(0, other);
  if (!opening.some(({ unit }) => unit.calls.length > 0)) return entries;
  const note = located(synthesised('', 'opening'), -1);
  return [writtenEntry(writer.userText(BEGINNING, target), [], [note]), ...entries];
}
