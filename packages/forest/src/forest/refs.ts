import type { RefRecord } from '../model/index.ts';
import type { Context } from './context.ts';

/** The record that gives a name on a thing a new value; null takes it away. */
export function setRef({ clock }: Context, on: RefRecord['on'], key: string, name: string, value: unknown): RefRecord {
  return { k: 'ref', on, key, name, value, clock: clock.tick() };
}
