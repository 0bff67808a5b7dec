import { assistant } from '../../message/index.ts';
import { forModel } from '../provider.ts';
import { type Entry, located, writtenEntry } from './entry.ts';
import { rewritten, synthesised } from './notes.ts';
import type { RequestWriter, Target } from './writer.ts';

/** What a model that takes no prefill is asked, so that it goes on from an assistant message. */
export const CONTINUE = 'Continue.';

/** Makes a request that ends with an assistant message one that the target takes (`prefill`, `model-tail`, `trailing-space`). */
export function finishTail(entries: readonly Entry[], writer: RequestWriter, target: Target): readonly Entry[] {
  const last = entries.at(-1);
  if (last?.unit.role !== 'assistant' || isPaused(last)) return entries;
  const prefill = forModel(target.provider.policies.prefill, target.model);
  if (prefill === 'no') {
    const note = synthesised(
      '',
      'prefill',
      'the model takes no request that ends with its own message; it is asked to continue',
    );
    return [...entries, writtenEntry(writer.userText(CONTINUE), [], [located(note, -1)])];
  }
  const trimmed = prefill === 'trimmed' ? trimEnd(last, writer, target) : undefined;
  return trimmed ? [...entries.slice(0, -1), trimmed] : entries;
}

/** A turn that ends in a server-side tool is continued by sending it again as it is (`pause_turn`). */
function isPaused(entry: Entry): boolean {
  return entry.message?.content.at(-1)?.type === 'unknown';
}

function trimEnd(entry: Entry, writer: RequestWriter, target: Target): Entry | undefined {
  const last = entry.message?.content.at(-1);
  if (!entry.message || last?.type !== 'text' || !/\s$/.test(last.text)) return undefined;
  const content = [...entry.message.content.slice(0, -1), { type: 'text', text: last.text.trimEnd() } as const];
  const [unit] = writer.translate(assistant(content), target, { find: () => undefined });
  const note = rewritten('', 'prefill', 'white space at the end of the message to be continued was left out');
  return unit && writtenEntry(unit, entry.of, [...entry.losses, located(note, entry.of[0] ?? -1)]);
}
