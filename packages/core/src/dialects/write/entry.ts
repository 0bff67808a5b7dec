import type { Message } from '../../message/index.ts';
import type { Loss, LossNote } from '../loss.ts';
import type { Unit } from './writer.ts';

/** A unit with the messages it stands for, on its way into the body. */
export interface Entry extends Unit {
  /** Indexes of its messages; none for what was synthesised. */
  readonly of: readonly number[];
  /** The message whose raw text the unit's pieces cut, if there is one. */
  readonly message?: Message | undefined;
  readonly losses: readonly Loss[];
}

/** Every entry has the same members in the same order: engines read such objects several times faster. */
export function makeEntry(unit: Unit, of: readonly number[], losses: readonly Loss[], message?: Message): Entry {
  const { role, text, pieces, calls, results, bound, parts } = unit;
  return { role, text, pieces, calls, results, bound, parts, of, losses, message };
}

export function entryOf(unit: Unit, index: number, message?: Message): Entry {
  return makeEntry(
    unit,
    [index],
    unit.losses.map((note) => located(note, index)),
    message,
  );
}

/** A unit that was written for the place of another, with what there is to say of that. */
export function inPlaceOf(entry: Entry, unit: Unit, ...notes: readonly LossNote[]): Entry {
  return makeEntry(unit, entry.of, [...entry.losses, ...notesOn(entry, ...notes)]);
}

/** A unit that stands for no message; what is said of it concerns the message at an index, or the request as a whole. */
export function addedEntry(unit: Unit, note: LossNote, index = -1): Entry {
  return makeEntry(unit, [], [located(note, index)]);
}

export function notesOn({ of }: Entry, ...notes: readonly LossNote[]): Loss[] {
  return notes.map((note) => located(note, of[0] ?? -1));
}

export function located(note: LossNote, message: number): Loss {
  return { ...note, message };
}
