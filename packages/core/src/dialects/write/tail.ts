import type { Loss, LossReason } from '../loss.ts';
import { forModel } from '../provider.ts';
import { type Entry, located, writtenEntry } from './entry.ts';
import { dropped, rewritten, synthesised } from './notes.ts';
import type { RequestWriter, Target } from './writer.ts';

/** What a model that takes no prefill is asked, so that it goes on from an assistant message. */
const CONTINUE = 'Continue.';

/** Makes the end of a request one that the target takes (`prefill`, `model-tail`, `trailing-space`, `no-messages`). */
export function finishTail(
  entries: readonly Entry[],
  isEmpty: boolean,
  writer: RequestWriter,
  target: Target,
): readonly Entry[] {
  const last = entries.at(-1);
  if (!last) return isEmpty ? [asked(writer, target, 'nothing-to-send')] : entries;
  if (last.unit.role !== 'assistant' || isPaused(last)) return entries;
  const prefill = forModel(target.provider.policies.prefill, target.model);
  if (prefill === 'no') {
    return [...entries, asked(writer, target, 'prefill')];
  }
  const trimmed = prefill === 'trimmed' ? writer.trimEnd?.(last.unit) : undefined;
  if (trimmed === undefined) return entries;
  if (trimmed === null) {
    const losses = [...last.losses, located(dropped('', 'empty'), last.of[0] ?? -1)];
    return withLosses(finishTail(entries.slice(0, -1), isEmpty, writer, target), losses);
  }
  const note = rewritten('', 'prefill');
  const losses: readonly Loss[] = [...last.losses, located(note, last.of[0] ?? -1)];
  return [...entries.slice(0, -1), writtenEntry(trimmed, last.of, losses)];
}

/** The loss of a last message that says nothing is told with what is last then. */
function withLosses(entries: readonly Entry[], losses: readonly Loss[]): readonly Entry[] {
  const last = entries.at(-1);
  return last ? [...entries.slice(0, -1), { ...last, losses: [...last.losses, ...losses] }] : entries;
}

function asked(writer: RequestWriter, target: Target, reason: LossReason): Entry {
  return writtenEntry(writer.userText(CONTINUE, target), [], [located(synthesised('', reason), -1)]);
}

/** A turn that ends in a server-side tool is continued by sending it again as it is (`pause_turn`). */
function isPaused(entry: Entry): boolean {
  return entry.unit.pieces !== undefined && entry.message?.content.at(-1)?.type === 'unknown';
}
