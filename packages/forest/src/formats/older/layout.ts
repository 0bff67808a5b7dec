import { join } from 'node:path';

/**
 * The older layout: `roots.json`, and `root-1/nodes/node-1.json` for the node `root-1/node-1`. Ids come from files
 * that anyone may have written, so only plain names lead to a path.
 */
const NAME = /^[A-Za-z0-9_-]{1,100}$/;

export const ROOTS_FILE = 'roots.json';

export function isOlderNodeId(id: string): boolean {
  const [root, node, more] = id.split('/');
  return more === undefined && NAME.test(root ?? '') && NAME.test(node ?? '');
}

export function isOlderRootId(id: string): boolean {
  return NAME.test(id);
}

/** From the folder, with slashes: the name that problems are reported under. */
export function nodeFile(id: string): string {
  const [root, node] = id.split('/');
  return `${root}/nodes/${node}.json`;
}

export function fileIn(folder: string, name: string): string {
  return join(folder, ...name.split('/'));
}
