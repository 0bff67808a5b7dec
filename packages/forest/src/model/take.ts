import { canonical } from '@skein/core';
import { sha256 } from './hash.ts';
import type { TakeRecord } from './records.ts';

/** A take with its id: the same facts give the same take, wherever they are written. */
export function takeOf(facts: Omit<TakeRecord, 'k' | 'id'>): TakeRecord {
  const id = sha256(`skein-take/1\n${canonical(JSON.stringify(facts))}`).slice(0, 32);
  return { k: 'take', id, ...facts };
}
