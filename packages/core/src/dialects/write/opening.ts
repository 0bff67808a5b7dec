import { addedEntry, type Entry } from './entry.ts';
import type { Job } from './job.ts';
import { synthesised } from './notes.ts';
import { endOfRun } from './runs.ts';

/** What stands before a call that would otherwise be the first thing in the conversation. */
const BEGINNING = 'The conversation so far:';

/** Puts a user message before a turn of calls where the target takes none at the front (`call-first`). */
export function openWithUser(entries: readonly Entry[], { writer, target }: Job): readonly Entry[] {
  const opening = entries.slice(
    0,
    endOfRun(entries, 0, ({ role }) => role === 'assistant'),
  );
  return writer.callsFollowUser && opening.some(({ calls }) => calls.length > 0)
    ? [addedEntry(writer.userText(BEGINNING, target), synthesised('', 'opening')), ...entries]
    : entries;
}
