import type { Message } from '../../message/index.ts';
import type { Loss } from '../loss.ts';
import { isPrefixBound } from './bound.ts';
import { elementOf } from './elements.ts';
import { type Entry, entryOf } from './entry.ts';
import { prefixAfter } from './prefix.ts';
import { splicedUnits } from './units.ts';
import type { CallLookup, RequestWriter, Target } from './writer.ts';

export interface Bound {
  readonly entries: readonly Entry[];
  /** Messages of which nothing was left. */
  readonly losses: readonly Loss[];
}

/**
 * Walks the elements in order and leaves out reasoning that is bound to another prefix than the one it would stand
 * behind now (`prefix-binding`). What follows is checked against the prefix as it then is.
 */
export function dropUnbound(
  entries: readonly Entry[],
  start: () => string,
  messages: readonly Message[],
  writer: RequestWriter,
  target: Target,
  callsFor: (index: number) => CallLookup,
): Bound {
  if (!isPrefixBound(target)) return { entries, losses: [] };
  const kept: Entry[] = [];
  const losses: Loss[] = [];
  let prefix = start();
  for (const entry of entries) {
    const parts = isBoundElsewhere(entry, prefix) ? withoutBound(entry, writer, target, callsFor) : [entry];
    if (parts.length === 0) losses.push(allBound(entry.of[0]!));
    for (const part of parts) {
      kept.push(part);
      prefix = prefixAfter(prefix, elementOf(part), messages);
    }
  }
  return { entries: kept, losses };
}

function isBoundElsewhere({ unit, message }: Entry, prefix: string): boolean {
  return unit.bound === true && message?.origin.prefix !== undefined && message.origin.prefix !== prefix;
}

function withoutBound(
  entry: Entry,
  writer: RequestWriter,
  target: Target,
  callsFor: (index: number) => CallLookup,
): Entry[] {
  const index = entry.of[0]!;
  const message = entry.message!;
  const units = splicedUnits(message, writer, target, true, callsFor(index));
  return units.map((unit) => entryOf(unit, index, message));
}

function allBound(message: number): Loss {
  return { kind: 'dropped', message, path: '', reason: 'prefix-bound' };
}
