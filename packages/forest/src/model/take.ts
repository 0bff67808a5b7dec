import { canonical } from '@skein/core';
import { sha256 } from './hash.ts';
import type { TakeRecord } from './records.ts';

/** A take with its id: the same facts give the same take, wherever they are written. */
export function takeOf(facts: Omit<TakeRecord, 'k' | 'id'>): TakeRecord {
  const id = sha256(`skein-take/1\n${canonicalText(facts)}`).slice(0, 32);
  return { k: 'take', id, ...facts };
}

/** The same as `canonical(JSON.stringify(value))`, without writing the JSON text first and reading it again: every reply has a take. */
export function canonicalText(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map((one) => canonicalText(one ?? null)).join(',')}]`;
  if (typeof value === 'object' && value !== null) {
    const members = value as Readonly<Record<string, unknown>>;
    const names = Object.keys(members).filter((name) => members[name] !== undefined);
    return `{${names
      .sort()
      .map((name) => `${JSON.stringify(name)}:${canonicalText(members[name])}`)
      .join(',')}}`;
  }
  return canonical(JSON.stringify(value));
}
