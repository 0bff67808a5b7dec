import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  assistant,
  type ContentBlock,
  isJson,
  isObject,
  type Loss,
  type Message,
  parseJson,
  toolResult,
  user,
} from '@skein/core';
import { stringify } from 'smol-toml';
import { allItems, type Forest, type ForestNode } from '../../forest/index.ts';
import { ROOT } from '../../model/ids.ts';
import type { TakeRecord } from '../../model/records.ts';
import type { ExportLosses } from '../export/export-text.ts';
import { type ExportSelection, selectedChildren } from '../export/selection.ts';
import { FormatError } from '../format-error.ts';
import { exactText, exactValue, readTime } from '../source/exact-json.ts';
import { fileIn, nodeFile, ROOTS_FILE, readOlderMessage } from './older-files.ts';

/** Options of `exportOlder`. */
export interface ExportOlderOptions {
  /** What to export, with its ancestors. Default: everything. */
  readonly of?: ExportSelection;
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

/** A system message at the front, with the prompt that it and those before it make. */
interface LeadingPrompt {
  readonly id: string;
  readonly prompt: string | undefined;
  readonly node: ForestNode | undefined;
}

/** A node to be written, with its root, its parent and its ids in the folder. */
interface NodeToWrite {
  readonly node: ForestNode;
  readonly root: Root;
  readonly parent: string;
  readonly ids: readonly string[];
  readonly texts: readonly string[];
  readonly facts: OlderFacts;
}

export async function exportOlder(forest: Forest, folder: string, options: ExportOlderOptions = {}): Promise<void> {
  await mkdir(folder, { recursive: true });
  if ((await readdir(folder)).length > 0)
    throw new FormatError('would_overwrite', `${folder} is not empty. Use a new folder.`);
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
  const taskFor = (node: ForestNode, root: Root, parent: string): NodeToWrite => {
    const { texts, losses } = toOlderMessages(node.message);
    const facts = toOlderFacts(node, root.id);
    tellLosses(node, facts, losses);
    return { node, root, parent, texts, facts, ids: texts.map(() => `${root.id}/node-${++root.nodes}`) };
  };
  const everyChild = await selectedChildren(forest, options.of ?? 'everything');

  /** From the root down to the first message that is no system message. */
  const open: LeadingPrompt[] = [{ id: ROOT, prompt: undefined, node: undefined }];
  const tasks: NodeToWrite[] = [];
  for (let lead = open.pop(); lead; lead = open.pop()) {
    for await (const node of everyChild(lead.id)) {
      if (node.role === 'system') {
        const prompt = lead.prompt === undefined ? node.message.text : `${lead.prompt}\n\n${node.message.text}`;
        const isMerged = lead.prompt !== undefined || node.message.text === '';
        tellLosses(
          node,
          toOlderFacts(node, ''),
          isMerged ? [{ kind: 'rewritten', path: 'role', reason: 'merged' }] : [],
        );
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

/** The creation time of a node's root; the older layout has one even for roots without a prompt. */
async function rootTime({ store }: Forest, { at, takes }: ForestNode): Promise<number> {
  const older = takes.map(({ extra }) => extra?.older).find((id) => typeof id === 'string');
  if (older === undefined) return at;
  const { items } = await store.refs({ on: 'older', keys: [older.split('/')[0]!], names: ['root'] });
  const facts = items.at(-1)?.value;
  return (isObject(facts) ? readTime(facts.createdAt) : undefined) ?? at;
}

async function writeTask(
  folder: string,
  { root, parent, ids, texts, facts }: NodeToWrite,
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
    // Joined as text, so that long numbers in arguments do not change.
    const text = `${JSON.stringify(head).slice(0, -1)},"message":${texts[index]},"metadata":${facts.metadata}${more}}`;
    await writeFile(fileIn(folder, nodeFile(id)), text);
  }
}

async function writeBookmarks(forest: Forest, folder: string, written: ReadonlyMap<string, string>): Promise<void> {
  const bookmarks: Record<string, string>[] = [];
  for await (const { node, title, createdAt } of allItems((page) => forest.bookmarks.list(page))) {
    const nodeId = written.get(node);
    const time = new Date(createdAt).toISOString();
    if (nodeId) bookmarks.push({ title, rootId: nodeId.split('/')[0]!, nodeId, createdAt: time, updatedAt: time });
  }
  if (bookmarks.length > 0) await writeFile(join(folder, 'config.toml'), stringify({ bookmarks }));
}

/** The messages of the older layout that a message becomes, as JSON texts, and what is lost. */
interface OlderMessages {
  readonly texts: readonly string[];
  readonly losses: readonly Omit<Loss, 'message'>[];
}

/** Replaces a message of which nothing is left: the layout has no blank texts, and its children need a parent. */
const EMPTY_TEXT = '(empty)';

/**
 * Converts a message. The older layout has text and calls of users, assistants and tools. Each result becomes its own
 * message; everything else is left out and reported as a loss.
 */
function toOlderMessages(message: Message): OlderMessages {
  if (isOlder(message)) return { texts: [message.raw], losses: [] };
  const losses: Omit<Loss, 'message'>[] = [];
  const plain = (blocks: readonly ContentBlock[], path: string): ContentBlock[] =>
    blocks.flatMap((block, index) => {
      const at = `${path}[${index}]`;
      if (block.type === 'text' || block.type === 'refusal') {
        if (isBlank(block.text)) losses.push({ kind: 'dropped', path: at, reason: 'empty' });
        else if (block.type === 'refusal') losses.push({ kind: 'rewritten', path: at, reason: 'refusal' });
        else if (block.citations) losses.push({ kind: 'dropped', path: at, reason: 'citations' });
        return isBlank(block.text) ? [] : [{ type: 'text', text: block.text } as const];
      }
      const isNamed = block.type === 'tool-use' && !isBlank(block.id) && !isBlank(block.name);
      if (isNamed && message.role === 'assistant') return [withObject(block, at, losses)];
      if (block.type !== 'tool-result') losses.push({ kind: 'dropped', path: at, reason: lossReason(block) });
      return [];
    });
  const something = (blocks: ContentBlock[]): ContentBlock[] => {
    if (blocks.length > 0) return blocks;
    losses.push({ kind: 'synthesised', path: 'content', reason: 'empty' });
    return [{ type: 'text', text: EMPTY_TEXT }];
  };
  const results = message.toolResults.map(({ toolCallId, content, isError }) =>
    toolResult(toolCallId, something(plain(content, 'content')), { isError }),
  );
  const rest = message.role === 'tool' ? [] : plain(message.content, 'content');
  if (message.role === 'system' || message.role === 'other')
    losses.push({ kind: 'rewritten', path: 'role', reason: 'inline-system' });
  const write = message.role === 'assistant' ? assistant : user;
  const said = rest.length > 0 || results.length === 0 ? [write(something(rest))] : [];
  return { texts: [...results, ...said].map(({ raw }) => raw), losses };
}

function isOlder({ raw, origin }: Message): boolean {
  if (origin.dialect !== 'blocks') return false;
  try {
    const { content } = readOlderMessage(raw, parseJson(raw));
    return content.every(isWhole);
  } catch {
    return false;
  }
}

/** Whether the older layout accepts a block: texts, ids and names must not be blank. */
function isWhole(block: ContentBlock): boolean {
  if (block.type === 'text') return !isBlank(block.text);
  if (block.type === 'tool-use') return !isBlank(block.id) && !isBlank(block.name);
  return block.type === 'tool-result' && block.content.every(isWhole);
}

function isBlank(text: string): boolean {
  return text.trim() === '';
}

type ToolUse = Extract<ContentBlock, { type: 'tool-use' }>;

/** The older layout needs an object as arguments. */
function withObject(
  { id, name, parameters, rawParameters }: ToolUse,
  path: string,
  losses: Omit<Loss, 'message'>[],
): ContentBlock {
  const isObjectText = isBlank(rawParameters) || (isJson(rawParameters) && rawParameters.trimStart().startsWith('{'));
  if (!isObjectText) losses.push({ kind: 'rewritten', path, reason: 'malformed-arguments' });
  return {
    type: 'tool-use',
    id,
    name,
    parameters,
    rawParameters: isObjectText ? rawParameters : JSON.stringify({ input: rawParameters }),
  };
}

function lossReason(block: Exclude<ContentBlock, { type: 'text' | 'refusal' | 'tool-result' }>): Loss['reason'] {
  switch (block.type) {
    case 'reasoning':
      return 'foreign-reasoning';
    case 'tool-use':
      return 'tool-name';
    case 'media':
      return 'unsupported-media';
    default:
      block satisfies { type: 'unknown' };
      return 'unknown-block';
  }
}

/** The metadata of a node in the older layout, as JSON texts. */
interface OlderFacts {
  readonly metadata: string;
  /** Other members of the node's file. */
  readonly file: string;
  /** The names of facts that the layout cannot hold. */
  readonly dropped: readonly string[];
}

/** Members of a take that are exported, or that every forest assigns itself. */
const PLACED: ReadonlySet<string> = new Set(
  'k id node at author via origin thread provider model params usage stop extra'.split(' '),
);

/** Members of the metadata that are always made from the take and the marks. */
const OWN = ['timestamp', 'original_root_id', 'tags'];

/** Writes time, author and marks of a node. Metadata from the older layout is written back unchanged. */
function toOlderFacts({ takes, at, marks }: ForestNode, rootId: string): OlderFacts {
  const take = takes.find(({ author }) => author === 'model') ?? takes[0];
  const { older, file, source_info: source, ...extra } = { ...take?.extra };
  const metadata = {
    ...extra,
    timestamp: new Date(take?.at ?? at).toISOString(),
    original_root_id: rootId,
    tags: marks.tags.length > 0 ? marks.tags : undefined,
  };
  const sourceText = exactText({ ...sourceInfo(take, older !== undefined), ...(isObject(source) && source) }, 2);
  return {
    metadata: `${exactText(metadata, 1).slice(0, -1)},"source_info":${sourceText}}`,
    file: exactText(isObject(file) ? file : {}, 1),
    dropped: [
      ...Object.keys(marks).filter((name) => name !== 'tags'),
      ...(takes.length > 1 ? ['takes'] : []),
      ...Object.keys(take ?? {}).filter((name) => !PLACED.has(name)),
      ...(take?.stop && take.stop.native === undefined ? ['stop'] : []),
      // In nodes from the older layout these members are written again, so nothing is lost.
      ...OWN.filter((name) => older === undefined && name in extra).map((name) => `extra.${name}`),
    ],
  };
}

function sourceInfo(take: TakeRecord | undefined, isOlder: boolean): Record<string, unknown> {
  if (take?.author !== 'model') return { type: take?.author === 'tool' ? 'tool_result' : 'user' };
  const { provider, model, params, stop, usage } = take;
  return {
    type: 'model',
    ...(provider && { provider }),
    ...(model && { model_name: model }),
    ...(params && { parameters: params }),
    ...(stop?.native && { finish_reason: stop.native }),
    ...(usage && { usage: writeUsage(usage, isOlder) }),
  };
}

/** The older layout has the provider's own numbers as `raw`; for a node from that layout, the whole usage was kept. */
function writeUsage({ input, output, native }: NonNullable<TakeRecord['usage']>, isOlder: boolean): unknown {
  const raw = isJson(native) ? exactValue(native, parseJson(native)) : native;
  return isOlder ? raw : { input_tokens: input, output_tokens: output, raw };
}
