import type { LossReason } from '../loss.ts';
import { forModel } from '../provider.ts';
import { addedEntry, type Entry, inPlaceOf, notesOn } from './entry.ts';
import type { Job } from './job.ts';
import { dropped, rewritten, synthesised } from './notes.ts';

/** What a model that takes no prefill is asked, so that it goes on from an assistant message. */
const CONTINUE = 'Continue.';

/** Makes the end of a request one that the target takes (`prefill`, `model-tail`, `trailing-space`, `no-messages`). */
export function finishTail(entries: readonly Entry[], isEmpty: boolean, job: Job): readonly Entry[] {
  const { writer, target, lost } = job;
  const asked = (reason: LossReason): readonly Entry[] => [
    ...entries,
    addedEntry(writer.userText(CONTINUE, target), synthesised('', reason)),
  ];
  const last = entries.at(-1);
  if (!last) return isEmpty ? asked('nothing-to-send') : entries;
  if (last.role !== 'assistant' || isPaused(last)) return entries;
  const prefill = forModel(target.provider.policies.prefill, target.model);
  if (prefill === 'no') return asked('prefill');
  const trimmed = prefill === 'trimmed' ? writer.trimEnd?.(last) : undefined;
  if (trimmed === undefined) return entries;
  const others = entries.slice(0, -1);
  if (trimmed) return [...others, inPlaceOf(last, trimmed, rewritten('', 'prefill'))];
  lost.push(...last.losses, ...notesOn(last, dropped('', 'empty')));
  return finishTail(others, isEmpty, job);
}

/** A turn that ends in a server-side tool is continued by sending it again as it is (`pause_turn`). */
function isPaused({ pieces, message }: Entry): boolean {
  return pieces !== undefined && message?.content.at(-1)?.type === 'unknown';
}
