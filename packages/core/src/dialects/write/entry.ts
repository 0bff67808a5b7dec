import type { Message } from '../../message/index.ts';
import type { Loss, LossNote } from '../loss.ts';
import type { Unit } from './writer.ts';

/** A unit with the messages it stands for, on its way into the body. */
export interface Entry {
  readonly unit: Unit;
  /** Indexes of its messages; none for what was synthesised. */
  readonly of: readonly number[];
  /** The message whose raw text the unit's pieces cut, if there is one. */
  readonly message: Message | undefined;
  readonly losses: readonly Loss[];
}

const NONE: readonly Loss[] = [];

export function entryOf(unit: Unit, index: number, message: Message, losses: readonly Loss[] = NONE): Entry {
  return {
    unit,
    of: [index],
    message,
    losses: unit.losses.length === 0 ? losses : [...losses, ...unit.losses.map((note) => located(note, index))],
  };
}

/** A unit that was written for this place, instead of messages or of nothing. */
export function writtenEntry(unit: Unit, of: readonly number[], losses: readonly Loss[]): Entry {
  return { unit, of, message: undefined, losses };
}

export function located(note: LossNote, message: number): Loss {
  return { ...note, message };
}
