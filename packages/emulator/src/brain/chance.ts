/** Choices that look like chance and are the same every time. */
import { createHash } from 'node:crypto';

export interface Chance {
  /** One of the list. The purpose keeps choices of one reply apart; the next attempt takes the next one. */
  pick<T>(list: readonly [T, ...T[]], purpose: string): T;
  integer(from: number, to: number, purpose: string): number;
}

export function createChance(seed: string, attempt: number): Chance {
  const number = (purpose: string): number =>
    createHash('sha256')
      .update(JSON.stringify([seed, purpose]))
      .digest()
      .readUInt32BE(0);
  return {
    pick: (list, purpose) => list[(number(purpose) + attempt) % list.length] ?? list[0],
    integer: (from, to, purpose) => from + ((number(purpose) + attempt) % (to - from + 1)),
  };
}
