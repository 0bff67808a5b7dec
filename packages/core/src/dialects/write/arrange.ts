import type { CallRef, ContentBlock } from '../../message/index.ts';
import { takesMedia } from '../provider.ts';
import { addedEntry, type Entry, entryOf, inPlaceOf, notesOn } from './entry.ts';
import { gathered } from './gathered.ts';
import { type Job, NO_CALLS } from './job.ts';
import { leftOut } from './left-out.ts';
import { rewritten, synthesised } from './notes.ts';
import { endOfRun } from './runs.ts';
import { plainTexts } from './text.ts';
import { targetToolId } from './tool-names.ts';
import { translatedUnits } from './units.ts';

/** What a call without a result is answered with. One that waited for approval was not run; of others nobody knows. */
const UNAPPROVED = 'No result: the call waited for an approval that was not given, and was not run.';
const INTERRUPTED = 'No result: the call was interrupted before its result was recorded.';

/**
 * Puts calls and results where every API wants them: each call is answered once, right behind its turn, before
 * anything else is said. What is in order stays untouched. Where the body goes on from calls that the provider holds
 * (`continues`), results may stand before all calls.
 */
export function arrange(entries: readonly Entry[], continues: boolean, job: Job): Entry[] {
  const arranged: Entry[] = [];
  for (let at = 0; at < entries.length; ) {
    const turnEnd = endOfRun(entries, at, isAssistant);
    const end = endOfRun(entries, turnEnd, (entry) => !isAssistant(entry));
    const both = entries.slice(at, end);
    const isPlain = !both.some((entry) => (isAssistant(entry) ? entry.calls : entry.results).length > 0);
    const turn = turnEnd - at;
    const parts = isPlain || (continues && turn === 0) ? both : answered(both.slice(0, turn), both.slice(turn), job);
    for (const part of parts) arranged.push(part);
    at = end;
  }
  return arranged;
}

function isAssistant({ role }: Entry): boolean {
  return role === 'assistant';
}

function answered(turn: readonly Entry[], window: readonly Entry[], job: Job): readonly Entry[] {
  const ids = turn.flatMap(({ calls }) => calls.map(({ id }) => id));
  // Messages of one turn that call by the same id (`tool-id-unique`) are each answered by themselves.
  const isByTurn = job.writer.resultsFollow === 'turn' && new Set(ids).size === ids.length;
  const isLast = (entry: Entry): boolean => entry === turn.at(-1);
  const isTogether = isByTurn || turn.every((entry) => isLast(entry) || entry.calls.length === 0);
  if (isTogether && isInOrder(ids, window, job.writer.resultsInOrder === true)) {
    const end = endOfRun(window, 0, ({ role }) => role === 'tool');
    const results = window.slice(0, end);
    return [
      ...turn,
      ...(results.every(({ pieces }) => pieces) ? results : gathered(results, job)),
      ...window.slice(end),
    ];
  }
  const results = new Map(ids.map((id): [string, Entry[]] => [id, []]));
  const arrived: Entry[] = [];
  const others: Entry[] = [];
  for (const entry of window.flatMap((one) => explode(one, job))) {
    const [id, ...more] = entry.results;
    const taken = results.get(id!);
    if (id === undefined) others.push(entry);
    // As many results of each id as there are open calls.
    else if (more.length === 0 && taken && taken.length < ids.filter((call) => call === id).length) {
      // What it overtakes was said before it.
      const result = others.length > 0 ? reordered(entry) : entry;
      taken.push(result);
      arrived.push(result);
    } else others.push(late(entry, id, taken ? 'duplicate-result' : 'late-result', job));
  }
  let sent = 0;
  const resultOf = (call: CallRef): Entry | undefined => {
    const result = results.get(call.id)!.shift();
    return result && arrived[sent++] !== result && others.length === 0 ? reordered(result) : result;
  };
  const answersTo = (...callers: readonly Entry[]): readonly Entry[] =>
    gathered(
      callers.flatMap((entry) => entry.calls.map((call) => resultOf(call) ?? unanswered(call, entry.of[0], job))),
      job,
    );
  return [
    ...(isByTurn ? [...turn, ...answersTo(...turn)] : turn.flatMap((entry) => [entry, ...answersTo(entry)])),
    ...others,
  ];
}

function reordered(entry: Entry): Entry {
  return { ...entry, losses: [...entry.losses, ...notesOn(entry, rewritten('', 'reordered'))] };
}

/** Whether each call has one result, before anything else; where `isSame` asks for it, in the order of the calls. */
function isInOrder(ids: readonly string[], window: readonly Entry[], isSame: boolean): boolean {
  const open = new Set(ids);
  const given = isSame ? window.flatMap(({ results }) => results) : [];
  return (
    open.size === ids.length &&
    given.every((id, at) => id === ids[at]) &&
    window.every(({ results, message }) =>
      results.length > 0
        ? !message?.facts.needs.includes('mixed') && results.every((id) => open.delete(id))
        : open.size === 0,
    ) &&
    open.size === 0
  );
}

/** One entry per result, so that each can be put where it belongs. */
function explode(entry: Entry, job: Job): readonly Entry[] {
  const { message, role, results, of } = entry;
  if (!message || results.length === 0 || (role === 'tool' && results.length === 1)) return [entry];
  const index = of[0]!;
  const units = translatedUnits(message, job.calls.get(index) ?? NO_CALLS, job);
  const [first, ...more] = units.map((unit) => entryOf(unit, index));
  return first ? [{ ...first, losses: [...reordered(entry).losses, ...first.losses] }, ...more] : [];
}

/** A result whose call is closed, or was never made, is told as text: what was sent for the call stays as it was. */
function late(entry: Entry, id: string, reason: 'late-result' | 'duplicate-result', job: Job): Entry {
  const content = resultContent(entry.of[0]!, id, job);
  const unit = job.writer.userText(`Result of the earlier tool call ${id}:\n${plainTexts(content)}`, job.target);
  const untold = content.flatMap((block, at) => (isTold(block, job) ? [] : [leftOut(block, `content[${at}]`)]));
  return inPlaceOf(entry, unit, rewritten('', reason, id), ...untold);
}

/** Text is told, and media that results do not take is sent behind them anyway. */
function isTold(block: ContentBlock, { target }: Job): boolean {
  const { user, toolResult } = target.provider.policies.media;
  const isMoved = (mediaType: string): boolean => !takesMedia(toolResult, mediaType) && takesMedia(user, mediaType);
  return block.type === 'text' || (block.type === 'media' && isMoved(block.mediaType));
}

function resultContent(index: number, id: string, { messages, calls }: Job): readonly ContentBlock[] {
  const { find } = calls.get(index) ?? NO_CALLS;
  const results = messages[index]!.toolResults;
  const result = results.find(({ toolCallId }) => (find(toolCallId)?.id ?? toolCallId) === id) ?? results[0];
  return result?.content ?? [];
}

function unanswered(call: CallRef, caller: number | undefined, { writer, target, unapproved }: Job): Entry {
  const note = synthesised('', 'tool-unanswered', `${call.name} ${call.id}`);
  // A call stands here by the id that the target takes.
  const isUnapproved = unapproved.some(
    (id) => id === call.id || targetToolId(id, target.provider.policies, '', []) === call.id,
  );
  return addedEntry(writer.result(call, isUnapproved ? UNAPPROVED : INTERRUPTED, target), note, caller);
}
