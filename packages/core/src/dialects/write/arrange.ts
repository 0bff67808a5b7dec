import { type CallRef, type ContentBlock, type Message, textOf } from '../../message/index.ts';
import { takesMedia } from '../provider.ts';
import { type Entry, entryOf, located, writtenEntry } from './entry.ts';
import { leftOut } from './left-out.ts';
import { rewritten, synthesised } from './notes.ts';
import type { CallLookup, RequestWriter, Target, Unit } from './writer.ts';

/** What a call without a result is answered with. Neutral: nobody knows whether the tool did its work. */
const NO_RESULT = 'No result: the call was interrupted before its result was recorded.';

export interface Arranging {
  readonly writer: RequestWriter;
  readonly target: Target;
  /** The calls that a message's results answer. */
  readonly callsFor: (index: number) => CallLookup;
  readonly messageAt: (index: number) => Message;
  /** Results may answer calls that only the provider holds. */
  readonly continues: boolean;
}

/**
 * Puts calls and results where every API wants them: each call is answered once, right behind its turn, before
 * anything else is said. What is in order stays untouched.
 */
export function arrange(entries: readonly Entry[], kit: Arranging): Entry[] {
  const arranged: Entry[] = [];
  let at = 0;
  while (at < entries.length) {
    const entry = entries[at]!;
    if (entry.unit.role !== 'assistant') {
      for (const part of entry.unit.results.length > 0 && !kit.continues ? late(explode(entry, kit), kit) : [entry])
        arranged.push(part);
      at++;
      continue;
    }
    const turnEnd = endWhile(entries, at, isAssistant);
    const windowEnd = endWhile(entries, turnEnd, (next) => !isAssistant(next));
    for (const part of answered(entries.slice(at, turnEnd), entries.slice(turnEnd, windowEnd), kit))
      arranged.push(part);
    at = windowEnd;
  }
  return arranged;
}

function answered(turn: readonly Entry[], window: readonly Entry[], kit: Arranging): readonly Entry[] {
  if (isInOrder(turn, window, kit)) return gatherResults(turn, window, kit);
  const { results, others } = sortWindow(
    turn,
    window.flatMap((entry) => explode(entry, kit)),
    kit,
  );
  const resultOf = (call: CallRef, caller: number): Entry =>
    results.get(call.id)?.shift() ?? unanswered(call, caller, kit);
  const answersTo = (entries: readonly Entry[]): Entry[] =>
    gathered(
      entries.flatMap((entry) => entry.unit.calls.map((call) => resultOf(call, entry.of[0] ?? -1))),
      kit,
    );
  const answers =
    kit.writer.resultsFollow === 'turn' && !repeatsIds(turn)
      ? [...turn, ...answersTo(turn)]
      : turn.flatMap((entry) => [entry, ...answersTo([entry])]);
  return [...answers, ...others];
}

/** Results behind the turn, complete, once each, before anything else. */
function isInOrder(turn: readonly Entry[], window: readonly Entry[], kit: Arranging): boolean {
  if (kit.writer.resultsFollow === 'message' && turn.slice(0, -1).some((entry) => entry.unit.calls.length > 0))
    return false;
  if (repeatsIds(turn)) return false;
  let open = 0;
  for (const entry of turn) open += entry.unit.calls.length;
  const seen = new Set<string>();
  for (const { unit, message } of window) {
    if (unit.results.length === 0) {
      if (seen.size < open) return false;
      continue;
    }
    if (message?.facts.needs.includes('mixed')) return false;
    for (const id of unit.results) {
      if (seen.has(id) || !turn.some((entry) => entry.unit.calls.some((call) => call.id === id))) return false;
      seen.add(id);
    }
  }
  return seen.size === open;
}

/** In order already; where the target wants written results in one element, they are gathered. */
function gatherResults(turn: readonly Entry[], window: readonly Entry[], kit: Arranging): readonly Entry[] {
  const end = endWhile(window, 0, (entry) => entry.unit.role === 'tool');
  if (end < 2 || window.slice(0, end).every((entry) => entry.unit.pieces)) return [...turn, ...window];
  return [...turn, ...gathered(window.slice(0, end), kit), ...window.slice(end)];
}

function gathered(entries: readonly Entry[], kit: Arranging): Entry[] {
  const unit =
    entries.length > 1
      ? gatheredUnit(
          entries.map((entry) => entry.unit),
          kit.writer,
        )
      : undefined;
  if (!unit) return [...entries];
  return [
    writtenEntry(
      unit,
      entries.flatMap((entry) => entry.of),
      entries.flatMap((entry) => entry.losses),
    ),
  ];
}

/** Kept with the first of its units: a history is gathered again with every turn. */
const gatherings = new WeakMap<Unit, { readonly from: readonly Unit[]; readonly unit: Unit | undefined }>();

function gatheredUnit(units: readonly Unit[], writer: RequestWriter): Unit | undefined {
  const known = gatherings.get(units[0]!);
  if (known && known.from.length === units.length && known.from.every((unit, index) => unit === units[index]))
    return known.unit;
  const unit = writer.gather(units);
  gatherings.set(units[0]!, { from: units, unit });
  return unit;
}

/** Whether messages of one turn call by the same id (`tool-id-unique`): then each is answered by itself. */
function repeatsIds(turn: readonly Entry[]): boolean {
  if (turn.length < 2) return false;
  const ids = turn.flatMap((entry) => entry.unit.calls.map((call) => call.id));
  return new Set(ids).size < ids.length;
}

/** As many results of each id as there are open calls; everything else keeps its order, further results as text. */
function sortWindow(
  turn: readonly Entry[],
  window: readonly Entry[],
  kit: Arranging,
): { results: Map<string, Entry[]>; others: Entry[] } {
  const open = turn.flatMap((entry) => entry.unit.calls.map((call) => call.id));
  const results = new Map(open.map((id): [string, Entry[]] => [id, []]));
  const others: Entry[] = [];
  for (const entry of window) {
    const [id] = entry.unit.results;
    const taken = id === undefined ? undefined : results.get(id);
    if (id === undefined) others.push(entry);
    else if (entry.unit.results.length === 1 && taken && taken.length < open.filter((call) => call === id).length)
      taken.push(entry);
    else others.push(...late([entry], kit, taken ? 'duplicate-result' : 'late-result'));
  }
  return { results, others };
}

/** One entry per result, so that each can be put where it belongs. */
function explode(entry: Entry, kit: Arranging): readonly Entry[] {
  const { message, unit, of } = entry;
  const single = unit.role === 'tool' && unit.results.length === 1;
  if (!message || unit.results.length === 0 || single) return [entry];
  const moved = rewritten('', 'reordered');
  const parts = kit.writer.translate(message, kit.target, kit.callsFor(of[0]!));
  const index = of[0]!;
  return parts.map((part, position) => {
    const losses = position === 0 ? [...entry.losses, located(moved, index)] : [];
    return { ...entryOf(part, index, message, losses), message: undefined };
  });
}

/** A result whose call is closed, or was never made, is told as text: what was sent for the call stays as it was. */
function late(
  entries: readonly Entry[],
  kit: Arranging,
  reason: 'late-result' | 'duplicate-result' = 'late-result',
): Entry[] {
  return entries.map((entry) => {
    const [id] = entry.unit.results;
    if (id === undefined) return entry;
    const index = entry.of[0]!;
    const content = resultContent(index, id, kit);
    const unit = kit.writer.userText(`Result of the earlier tool call ${id}:\n${textOf(content)}`, kit.target);
    const untold = content.flatMap((block, at) => (isTold(block, kit) ? [] : [leftOut(block, `content[${at}]`)]));
    const notes = [rewritten('', reason, id), ...untold];
    return writtenEntry(unit, entry.of, [...entry.losses, ...notes.map((note) => located(note, index))]);
  });
}

/** Text is told, and media that results do not take is sent behind them anyway. */
function isTold(block: ContentBlock, { target }: Arranging): boolean {
  const { user, toolResult } = target.provider.policies.media;
  const isMoved = (mediaType: string): boolean => !takesMedia(toolResult, mediaType) && takesMedia(user, mediaType);
  return block.type === 'text' || (block.type === 'media' && isMoved(block.mediaType));
}

function resultContent(index: number, id: string, kit: Arranging): readonly ContentBlock[] {
  const calls = kit.callsFor(index);
  const results = kit.messageAt(index).toolResults;
  const result = results.find(({ toolCallId }) => (calls.find(toolCallId)?.id ?? toolCallId) === id) ?? results[0];
  return result?.content ?? [];
}

function unanswered(call: CallRef, caller: number, kit: Arranging): Entry {
  const note = synthesised('', 'tool-unanswered', `${call.name} ${call.id}`);
  return writtenEntry(kit.writer.result(call, NO_RESULT, kit.target), [], [located(note, caller)]);
}

function isAssistant(entry: Entry): boolean {
  return entry.unit.role === 'assistant';
}

function endWhile(entries: readonly Entry[], start: number, holds: (entry: Entry) => boolean): number {
  let end = start;
  while (end < entries.length && holds(entries[end]!)) end++;
  return end;
}
