import { dropped, type LossReason, rewritten, synthesised } from '../loss.ts';
import type { Element } from '../manifest.ts';
import { forModel } from '../provider.ts';
import {
  locateAt,
  mergeDrafts,
  type PlacedDraft,
  placeDraft,
  type RequestJob,
  replaceDraft,
  synthesiseDraft,
  takeRun,
} from './drafts.ts';
import { readTexts } from './translate.ts';

// Each function here is a pass of `writeRequest`: it ensures one rule about the order of turns and returns the drafts
// unchanged where the target has no such rule.

/** Drops calls and results of server-side tools whose counterpart is missing; see `RequestWriter.dropUnpaired`. */
export function dropUnpairedServerTools(drafts: readonly PlacedDraft[], job: RequestJob): readonly PlacedDraft[] {
  const { writer, lost, previous } = job;
  const changed = writer.dropUnpaired?.(drafts, previous === undefined);
  if (!changed?.size) return drafts;
  return drafts.flatMap((placed, index) => {
    if (!changed.has(index)) return [placed];
    const draft = changed.get(index);
    // The losses of the changed draft include those that it had before.
    if (draft) return [placeDraft(draft, placed.of, locateAt(placed, ...draft.losses))];
    lost.push(...placed.losses, ...locateAt(placed, dropped('', 'server-tool')));
    return [];
  });
}

/**
 * Where system messages may only follow a user turn and precede an answer (`system-placement`), rewrites those
 * elsewhere as user text. They never move to the top-level system text, because that would change the prefix.
 */
export function rewriteMisplacedSystem(
  drafts: readonly PlacedDraft[],
  { writer, target }: RequestJob,
): readonly PlacedDraft[] {
  if (forModel(target.provider.policies.inlineSystem, target.model) !== 'after-user') return drafts;
  return drafts.map((draft, index) => {
    if (!isSystem(draft)) return draft;
    const before = drafts.slice(0, index).findLast((other) => !isSystem(other))?.role;
    const after = drafts.slice(index + 1).find((other) => !isSystem(other))?.role;
    return (before === 'user' || before === 'tool') && (after ?? 'assistant') === 'assistant'
      ? draft
      : replaceDraft(
          draft,
          writer.userText(readTexts(draft.message?.content ?? []), target),
          rewritten('', 'inline-system'),
        );
  });
}

function isSystem({ role }: PlacedDraft): boolean {
  return role === 'system';
}

/** Merges runs of one role into one element, for chat templates that require user and assistant to alternate. */
export function mergeConsecutiveTurns(drafts: readonly PlacedDraft[], job: RequestJob): readonly PlacedDraft[] {
  if (!job.target.provider.policies.alternateRoles) return drafts;
  const merged: PlacedDraft[] = [];
  const sideOf = ({ role }: PlacedDraft) => (role === 'tool' && job.writer.resultsAreUsers ? 'user' : role);
  for (let at = 0; at < drafts.length; ) {
    const role = sideOf(drafts[at]!);
    const run = takeRun(drafts, at, (draft) => sideOf(draft) === role);
    const [one, ...more] = mergeDrafts(run, job);
    if (more.length > 0) merged.push(...run);
    else {
      const notes = run.slice(1).flatMap((draft) => locateAt(draft, rewritten('', 'merged', role)));
      merged.push({ ...one!, losses: [...one!.losses, ...notes] });
    }
    at += run.length;
  }
  return merged;
}

/** The user message before a call that would otherwise be the first thing in the conversation. */
const OPENING = 'The conversation so far:';

/** Puts a user message before a turn of calls if the target takes no calls at the front (`call-first`). */
export function openWithUser(drafts: readonly PlacedDraft[], job: RequestJob): readonly PlacedDraft[] {
  const { writer, target, messages, previous } = job;
  const isFromOthers = ({ of }: Element): boolean =>
    of.length === 0 || of.some((index) => messages[index]!.role !== 'assistant');
  if (!writer.callsFollowUser || previous?.elements.some(isFromOthers)) return drafts;
  const opening = takeRun(drafts, 0, ({ role }) => role === 'assistant');
  return opening.some(({ calls }) => calls.length > 0)
    ? [synthesiseDraft(writer.userText(OPENING, target), synthesised('', 'opening')), ...drafts]
    : drafts;
}

/** The user message that asks a model without prefill to continue an assistant message. */
const CONTINUE = 'Continue.';

/** Ensures that the request ends in a way that the target takes (`prefill`, `model-tail`, `trailing-space`, `no-messages`). */
export function endAcceptably(drafts: readonly PlacedDraft[], job: RequestJob): readonly PlacedDraft[] {
  const { writer, target, lost, previous, earlier } = job;
  const askToContinue = (reason: LossReason): readonly PlacedDraft[] => [
    ...drafts,
    synthesiseDraft(writer.userText(CONTINUE, target), synthesised('', reason)),
  ];
  const last = drafts.at(-1);
  if (!last) return !previous && earlier.length === 0 ? askToContinue('nothing-to-send') : drafts;
  if (last.role !== 'assistant' || isPaused(last)) return drafts;
  const prefill = forModel(target.provider.policies.prefill, target.model);
  if (prefill === 'no') return askToContinue('prefill');
  const trimmed = prefill === 'trimmed' ? writer.trimEnd?.(last) : undefined;
  if (trimmed === undefined) return drafts;
  const others = drafts.slice(0, -1);
  if (trimmed) return [...others, replaceDraft(last, trimmed, rewritten('', 'prefill'))];
  lost.push(...last.losses, ...locateAt(last, dropped('', 'empty')));
  return endAcceptably(others, job);
}

/** A turn that ends in a server-side tool is continued by sending it again unchanged (`pause_turn`). */
function isPaused({ pieces, message }: PlacedDraft): boolean {
  return pieces !== undefined && message?.content.at(-1)?.type === 'unknown';
}
