import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { elementTexts, isLegacyMessage, isObject, type JsonObject, type Message, normalizeMessage } from '@skein/core';
import type { StoreProblem } from '../../store/index.ts';
import { FormatError, wrongShape } from '../format-error.ts';
import { type ExactObject, memberTexts, objectAt, readJson, readObject, textMember } from '../source/exact-json.ts';

/**
 * The older layout has `roots.json`, and `root-1/nodes/node-1.json` for the node `root-1/node-1`. Anyone may have
 * written the ids, so only plain names are turned into paths.
 */
const NAME = /^[A-Za-z0-9_-]{1,100}$/;

export const ROOTS_FILE = 'roots.json';

export function isOlderNodeId(id: string): boolean {
  const [root, node, more] = id.split('/');
  return more === undefined && NAME.test(root ?? '') && NAME.test(node ?? '');
}

function isOlderRootId(id: string): boolean {
  return NAME.test(id);
}

/** The path of a node's file from the folder, with slashes; problems are reported under this name. */
export function nodeFile(id: string): string {
  const [root, node] = id.split('/');
  return `${root}/nodes/${node}.json`;
}

export function fileIn(folder: string, name: string): string {
  return join(folder, ...name.split('/'));
}

/** Throws if a folder does not have the older layout. */
export async function requireOlderLayout(folder: string): Promise<void> {
  if (await isOlderLayout(folder)) return;
  throw new FormatError('unknown_format', `${folder} does not have the older layout: it contains no "${ROOTS_FILE}".`);
}

/**
 * Whether a folder has the older layout, that is, a file `roots.json`.
 *
 * @example
 * if (await isOlderLayout(folder)) await importFile(forest, folder);
 */
export async function isOlderLayout(folder: string): Promise<boolean> {
  return (await fileState(folder, ROOTS_FILE)) !== undefined;
}

/** The state of a file when it was read. If time or size differ, another program has written it. */
export interface FileState {
  readonly mtime: number;
  readonly size: number;
}

export interface OlderRoot {
  readonly id: string;
  readonly createdAt: string | undefined;
  readonly deleted: boolean;
  readonly systemPrompt: string | undefined;
  readonly childIds: readonly string[];
  readonly file: ExactObject;
}

export interface OlderNode {
  readonly id: string;
  readonly rootId: string;
  /** For a first message, the id of the root. */
  readonly parentId: string;
  readonly childIds: readonly string[];
  readonly message: Message;
  readonly metadata: ExactObject;
  readonly file: ExactObject;
  readonly state: FileState;
}

/** Undefined if there is no such file. */
export async function fileState(folder: string, name: string): Promise<FileState | undefined> {
  try {
    const { mtimeMs, size } = await stat(fileIn(folder, name));
    return { mtime: mtimeMs, size };
  } catch (error) {
    const { code } = error as { code?: unknown };
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw error;
  }
}

/** Reads all roots. One that cannot be read is reported and does not hide the others. */
async function readRoots(folder: string, onProblem: (error: unknown) => void): Promise<OlderRoot[]> {
  const text = await readText(folder, ROOTS_FILE);
  const list = readJson(text);
  if (!Array.isArray(list)) throw wrongShape(`a list of roots in ${ROOTS_FILE}`);
  return elementTexts(text).flatMap((element) => {
    try {
      return [toRoot(readObject(element, 'a root'))];
    } catch (error) {
      onProblem(error);
      return [];
    }
  });
}

function toRoot(file: ExactObject): OlderRoot {
  const { value } = file;
  const id = textMember(value, 'id');
  if (id === undefined || !isOlderRootId(id)) throw wrongShape('a root with an "id" such as "root-1"');
  const config = isObject(value.config) ? value.config : {};
  return {
    id,
    createdAt: textMember(value, 'createdAt'),
    deleted: value.deleted === true,
    systemPrompt: textMember(config, 'systemPrompt'),
    childIds: readIds(value.child_ids),
    file,
  };
}

/** Reads a node by its older id; throws if its file is invalid. */
export async function readOlderNode(folder: string, id: string): Promise<OlderNode> {
  const name = nodeFile(id);
  const state = await fileState(folder, name);
  if (!state) throw new FormatError('broken_tree', 'The file is missing.');
  const file = readObject(await readText(folder, name), 'a node');
  const { value } = file;
  if (value.id !== id) throw wrongShape(`the id "${id}" in the file, but found ${JSON.stringify(value.id)}`);
  const rootId = id.split('/')[0]!;
  const parentId = textMember(value, 'parent_id');
  if (parentId === undefined || (parentId !== rootId && !isOlderNodeId(parentId)))
    throw wrongShape('"parent_id" with the id of a node, or of the root');
  return {
    id,
    rootId,
    parentId,
    childIds: readIds(value.child_ids),
    message: readOlderMessage(memberTexts(file).get('message') ?? '', value.message),
    metadata: objectAt(file, 'metadata') ?? { text: '{}', value: {} },
    file,
    state,
  };
}

function readIds(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((id): id is string => typeof id === 'string' && isOlderNodeId(id)) : [];
}

async function readText(folder: string, name: string): Promise<string> {
  return new TextDecoder('utf-8', { fatal: true }).decode(await readFile(fileIn(folder, name)));
}

/**
 * Reads a message of the older layout, in blocks or in the shape before them. It is strict: the layout has only text
 * and calls, so anything else is damage. Blanks between tokens are dropped; otherwise a file that was only re-indented
 * would hold another message.
 */
export function readOlderMessage(text: string, value: unknown): Message {
  if (!isObject(value)) throw wrongMessage('it is not an object');
  if (!['user', 'assistant', 'tool'].includes(String(value.role)))
    throw wrongMessage(`the role is ${JSON.stringify(value.role)}; it is user, assistant or tool`);
  if (value.role === 'tool' && (typeof value.tool_call_id !== 'string' || value.tool_call_id === ''))
    throw wrongMessage('a tool message needs "tool_call_id"');
  if (isLegacyMessage(value)) {
    if (value.role !== 'assistant' && (value.content === null || (value.tool_calls?.length ?? 0) > 0))
      throw wrongMessage(`a ${value.role} message has text, and no tool calls`);
  } else checkBlocks(value);
  return normalizeMessage(withoutBlanks(text));
}

function checkBlocks({ role, content }: JsonObject): void {
  if (!Array.isArray(content) || content.length === 0)
    throw wrongMessage('"content" is neither text nor a list with blocks');
  for (const [index, block] of content.entries()) {
    const at = `content[${index}]`;
    if (!isObject(block)) throw wrongMessage(`${at} is not an object`);
    if (block.type === 'text' && typeof block.text === 'string') continue;
    if (block.type !== 'tool-use') throw wrongMessage(`${at} is neither a text nor a tool-use block`);
    if (role !== 'assistant') throw wrongMessage(`${at} is a call, but only the assistant calls tools`);
    if (typeof block.id !== 'string' || typeof block.name !== 'string' || !isObject(block.parameters))
      throw wrongMessage(`${at} needs "id", "name" and "parameters"`);
  }
}

function withoutBlanks(text: string): string {
  return text.replace(/("(?:[^"\\]|\\.)*")|\s+/g, '$1');
}

function wrongMessage(problem: string): FormatError {
  return new FormatError('wrong_shape', `Its message is not one of the older layout: ${problem}.`);
}

/** Yields the ids of all nodes that have files, listed or not. */
export async function* everyOlderId(folder: string): AsyncGenerator<string> {
  for (const root of await rootFolders(folder)) yield* await nodesIn(folder, root);
}

async function rootFolders(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const names = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  return names.filter(isOlderRootId).sort(byNumber);
}

async function nodesIn(folder: string, root: string): Promise<string[]> {
  const names = await readdir(fileIn(folder, `${root}/nodes`)).catch((error: { code?: unknown }) => {
    // A root may have no folder of nodes.
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  const ids = names.filter((name) => name.endsWith('.json')).map((name) => `${root}/${name.slice(0, -'.json'.length)}`);
  return ids.filter(isOlderNodeId).sort(byNumber);
}

function byNumber(a: string, b: string): number {
  return a.localeCompare(b, 'en', { numeric: true });
}

/** Returns a function that reads the roots, again only if their file changed. The same array means the same file. */
export function createRootsReader(folder: string, problems: FileProblems): () => Promise<readonly OlderRoot[]> {
  let last: { readonly state: FileState | undefined; readonly roots: readonly OlderRoot[] } | undefined;

  const read = async (): Promise<readonly OlderRoot[]> => {
    problems.resolve(ROOTS_FILE);
    try {
      return await readRoots(folder, (error) => problems.report(ROOTS_FILE, error));
    } catch (error) {
      problems.report(ROOTS_FILE, error);
      return [];
    }
  };

  return async () => {
    const state = await fileState(folder, ROOTS_FILE);
    if (!last || last.state?.mtime !== state?.mtime || last.state?.size !== state?.size)
      last = { state, roots: await read() };
    return last.roots;
  };
}

/** The files that cannot be read, each once, until they are repaired. */
export interface FileProblems {
  report(file: string, error: unknown): void;
  resolve(file: string): void;
  list(): StoreProblem[];
}

export function createFileProblems(): FileProblems {
  const problems = new Map<string, StoreProblem>();
  return {
    report(file, error) {
      problems.set(file, { code: 'unreadable-file', where: file, message: (error as Error).message });
    },
    resolve: (file) => problems.delete(file),
    list: () => [...problems.values()],
  };
}
