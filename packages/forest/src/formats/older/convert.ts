import { system } from '@skein/core';
import { takeFor } from '../../forest/write/append.ts';
import { makeRecords, type Place, ROOT_PLACE } from '../../forest/write/append-point.ts';
import type { StoreRecord } from '../../model/index.ts';
import { membersWithout, timeOf } from '../source/exact.ts';
import { sourceStamp } from '../source-stamp.ts';
import type { OlderNode, OlderRoot } from './read-files.ts';
import { olderTakeFacts } from './take-facts.ts';

export interface Converted {
  readonly place: Place;
  readonly records: readonly StoreRecord[];
}

/** Where the first messages of a root hang: below its system prompt, if it has one. */
export function convertRoot(root: OlderRoot): Converted {
  if (root.systemPrompt === undefined) return { place: ROOT_PLACE, records: [] };
  const at = timeOf(root.createdAt) ?? 0;
  const message = system(root.systemPrompt);
  const { node, body, next } = makeRecords(ROOT_PLACE, message, at);
  const extra = { older: root.id };
  return { place: next, records: [body, node, takeFor(message, node.id, { via: 'import', at, extra })] };
}

/** What is known of a root beside its messages and its system prompt. */
export function rootFacts(root: OlderRoot): Record<string, unknown> {
  return membersWithout(root.file, ['id', 'child_ids']);
}

/** A node below its parent's new place: the node, its text, how it came to be, and its tags. */
export function convertNode(node: OlderNode, root: OlderRoot, parent: Place): Converted {
  const at = olderTime(node, root);
  const made = makeRecords(parent, node.message, at);
  const take = takeFor(node.message, made.node.id, { via: 'import', ...olderTakeFacts(node, root), at });
  return { place: made.next, records: [made.body, made.node, take, ...tagRecords(node, made.node.id, at)] };
}

export function olderTime(node: OlderNode, root: OlderRoot): number {
  return timeOf(node.metadata.value.timestamp) ?? timeOf(root.createdAt) ?? 0;
}

function tagRecords({ metadata }: OlderNode, id: string, at: number): StoreRecord[] {
  const { tags } = metadata.value;
  const names = Array.isArray(tags) ? tags.filter((tag) => typeof tag === 'string' && tag.trim() !== '') : [];
  return names.map((tag) => ({
    k: 'ref',
    on: 'node',
    key: id,
    name: `tag:${tag}`,
    value: true,
    clock: sourceStamp(at),
  }));
}
