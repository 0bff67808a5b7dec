import { system } from '@skein/core';
import { type NodeRecord, ROOT } from '../model/index.ts';
import { takeFor } from './append.ts';
import type { Context } from './context.ts';
import { copyPath } from './copy-path.ts';
import { ForestError } from './errors.ts';
import { makeRecords } from './make-records.ts';
import { ROOT_PLACE } from './place.ts';
import { reviveRecords } from './removed.ts';

/** The messages of a path once more, below a system text that it had not; gives the end of it. */
export async function putSystemAbove(context: Context, path: readonly NodeRecord[], text: string): Promise<string> {
  const { store, clock } = context;
  const [first] = path;
  if (first!.lead !== ROOT)
    throw new ForestError('has_system', first!.id, `Node ${first!.id} is a system text already: edit that one.`);
  const at = clock.now();
  const message = system(text);
  const made = makeRecords(ROOT_PLACE, message, clock.siblingTime(ROOT, at));
  const take = takeFor(message, made.node.id, { via: 'edit', from: first!.id, at });
  const copy = await copyPath(store, path, made.next);
  const ids = [made.node.id, ...copy.ids];
  await store.append([made.body, made.node, take, ...copy.records, ...(await reviveRecords(context, ids))]);
  return ids.at(-1)!;
}
