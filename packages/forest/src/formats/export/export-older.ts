import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isObject, type Loss } from '@skein/core';
import { stringify } from 'smol-toml';
import type { Forest } from '../../forest/forest.ts';
import { everyItem } from '../../forest/pages.ts';
import type { ForestNode } from '../../forest/read/read-nodes.ts';
import { ROOT } from '../../model/index.ts';
import { FormatError } from '../format-error.ts';
import { fileIn, nodeFile, ROOTS_FILE } from '../older/layout.ts';
import { timeOf } from '../source/exact.ts';
import { childrenInside } from './inside.ts';
import { olderMessages } from './older-message.ts';
import { type OlderFacts, olderFacts } from './older-metadata.ts';
import type { ExportLosses, ExportOf } from './types.ts';

export interface ExportOlderOptions {
  /** A part comes with the messages above it. Default: everything. */
  readonly of?: ExportOf;
  readonly onLosses?: (node: ExportLosses) => void;
  readonly onProgress?: (messages: number) => void;
}

interface Root {
  readonly id: string;
  readonly createdAt: string;
  readonly config: { readonly systemPrompt?: string };
  readonly child_ids: string[];
  nodes: number;
}

/** A system message at the front, and all of them up to it. */
interface Lead {
  readonly id: string;
  readonly prompt: string | undefined;
  readonly node: ForestNode | undefined;
}

/** A node that is to be written: where, and below what. */
interface Task {
  readonly node: ForestNode;
  readonly root: Root;
  readonly parent: string;
  readonly ids: readonly string[];
  readonly texts: readonly string[];
  readonly facts: OlderFacts;
}

/**
 * Writes the older layout into a new or empty folder. System messages at the front become the root's prompt; what was
 * removed is left out. `roots.json` comes last: until then the folder is not a forest.
 */
export async function exportOlder(forest: Forest, folder: string, options: ExportOlderOptions = {}): Promise<void> {
  await mkdir(folder, { recursive: true });
  if ((await readdir(folder)).length > 0)
    throw new FormatError('would_overwrite', `${folder} is not empty: give a new folder.`);
  const roots: Root[] = [];
  const written = new Map<string, string>();
  let messages = 0;

  const rootFor = async (prompt: string | undefined, node: ForestNode): Promise<Root> => {
    const found = roots.find(({ config }) => config.systemPrompt === prompt);
    if (found) return found;
    const at = await rootTime(forest, node);
    const config = prompt === undefined ? {} : { systemPrompt: prompt };
    const root = {
      id: `root-${roots.length + 1}`,
      createdAt: new Date(at).toISOString(),
      config,
      child_ids: [],
      nodes: 0,
    };
    roots.push(root);
    return root;
  };
  const tellLosses = (node: ForestNode, { dropped }: OlderFacts, losses: readonly Omit<Loss, 'message'>[]) => {
    const all = losses.map((loss) => ({ ...loss, message: 0 }));
    if (dropped.length > 0)
      all.push({ kind: 'dropped', message: 0, path: 'metadata', reason: 'unknown-field', detail: dropped.join(', ') });
    if (all.length > 0) options.onLosses?.({ head: node.id, losses: all });
  };
  const taskFor = (node: ForestNode, root: Root, parent: string): Task => {
    const { texts, losses } = olderMessages(node.message);
    const facts = olderFacts(node, root.id);
    tellLosses(node, facts, losses);
    return { node, root, parent, texts, facts, ids: texts.map(() => `${root.id}/node-${++root.nodes}`) };
  };
  const everyChild = await childrenInside(forest, options.of ?? 'everything');

  /** From the root down to the first message that is not a system's. */
  const open: Lead[] = [{ id: ROOT, prompt: undefined, node: undefined }];
  const tasks: Task[] = [];
  for (let lead = open.pop(); lead; lead = open.pop()) {
    for await (const node of everyChild(lead.id)) {
      if (node.role === 'system') {
        const prompt = lead.prompt === undefined ? node.message.text : `${lead.prompt}\n\n${node.message.text}`;
        const isMerged = lead.prompt !== undefined || node.message.text === '';
        tellLosses(node, olderFacts(node, ''), isMerged ? [{ kind: 'rewritten', path: 'role', reason: 'merged' }] : []);
        if (node.childCount === 0) await rootFor(prompt, node);
        open.push({ id: node.id, prompt, node });
        continue;
      }
      const root = await rootFor(lead.prompt, lead.node ?? node);
      const task = taskFor(node, root, root.id);
      root.child_ids.push(task.ids[0]!);
      tasks.push(task);
    }
  }

  for (let task = tasks.pop(); task; task = tasks.pop()) {
    const below: string[] = [];
    for await (const child of everyChild(task.node.id)) {
      const next = taskFor(child, task.root, task.ids.at(-1)!);
      below.push(next.ids[0]!);
      tasks.push(next);
    }
    await writeTask(folder, task, below);
    written.set(task.node.id, task.ids.at(-1)!);
    messages += 1;
    options.onProgress?.(messages);
  }
  await writeBookmarks(forest, folder, written);
  const list = roots.map(({ nodes, ...root }) => root);
  await writeFile(join(folder, ROOTS_FILE), JSON.stringify(list, null, 2));
}

/** When the root of a node was made: the older layout knows it also of roots without a prompt. */
async function rootTime({ store }: Forest, { at, takes }: ForestNode): Promise<number> {
  const older = takes.map(({ extra }) => extra?.older).find((id) => typeof id === 'string');
  if (older === undefined) return at;
  const { items } = await store.refs({ on: 'older', keys: [older.split('/')[0]!], names: ['root'] });
  const facts = items.at(-1)?.value;
  return (isObject(facts) ? timeOf(facts.createdAt) : undefined) ?? at;
}

async function writeTask(
  folder: string,
  { root, parent, ids, texts, facts }: Task,
  below: readonly string[],
): Promise<void> {
  await mkdir(fileIn(folder, `${root.id}/nodes`), { recursive: true });
  const more = facts.file === '{}' ? '' : `,${facts.file.slice(1, -1)}`;
  for (const [index, id] of ids.entries()) {
    const head = {
      id,
      root_id: root.id,
      parent_id: ids[index - 1] ?? parent,
      child_ids: index + 1 < ids.length ? [ids[index + 1]] : below,
    };
    // Put together as text, so that long numbers in arguments stay what they are.
    const text = `${JSON.stringify(head).slice(0, -1)},"message":${texts[index]},"metadata":${facts.metadata}${more}}`;
    await writeFile(fileIn(folder, nodeFile(id)), text);
  }
}

async function writeBookmarks(forest: Forest, folder: string, written: ReadonlyMap<string, string>): Promise<void> {
  const bookmarks: Record<string, string>[] = [];
  for await (const { node, title, createdAt } of everyItem((page) => forest.bookmarks.list(page))) {
    const nodeId = written.get(node);
    const time = new Date(createdAt).toISOString();
    if (nodeId) bookmarks.push({ title, rootId: nodeId.split('/')[0]!, nodeId, createdAt: time, updatedAt: time });
  }
  if (bookmarks.length > 0) await writeFile(join(folder, 'config.toml'), stringify({ bookmarks }));
}
