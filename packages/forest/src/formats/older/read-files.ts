import { readFile, stat } from 'node:fs/promises';
import { elementTexts, isObject, type Message } from '@skein/core';
import { FormatError, wrongShape } from '../format-error.ts';
import { type Exact, memberTexts, objectAt, readJson, readObject, textIn } from '../source/exact.ts';
import { readOlderMessage } from './check-message.ts';
import { fileIn, isOlderNodeId, isOlderRootId, nodeFile, ROOTS_FILE } from './layout.ts';

/** How a file was when it was read: another time or size means that another program wrote it. */
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
  readonly file: Exact;
}

export interface OlderNode {
  readonly id: string;
  readonly rootId: string;
  /** The root's id for a first message. */
  readonly parentId: string;
  readonly childIds: readonly string[];
  readonly message: Message;
  readonly metadata: Exact;
  readonly file: Exact;
  readonly state: FileState;
}

/** Undefined when there is no such file. */
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

/** Every root that can be read; one that cannot does not hide the others, and is told. */
export async function readRoots(folder: string, onProblem: (error: unknown) => void): Promise<OlderRoot[]> {
  const text = await readText(folder, ROOTS_FILE);
  const list = readJson(text);
  if (!Array.isArray(list)) throw wrongShape(`a list of roots in ${ROOTS_FILE}`);
  return elementTexts(text).flatMap((element) => {
    try {
      return [rootOf(readObject(element, 'a root'))];
    } catch (error) {
      onProblem(error);
      return [];
    }
  });
}

function rootOf(file: Exact): OlderRoot {
  const { value } = file;
  const id = textIn(value, 'id');
  if (id === undefined || !isOlderRootId(id)) throw wrongShape('a root with an "id" such as "root-1"');
  const config = isObject(value.config) ? value.config : {};
  return {
    id,
    createdAt: textIn(value, 'createdAt'),
    deleted: value.deleted === true,
    systemPrompt: textIn(config, 'systemPrompt'),
    childIds: idsIn(value.child_ids),
    file,
  };
}

/** A node by its older id; throws when its file is not as it should be. */
export async function readOlderNode(folder: string, id: string): Promise<OlderNode> {
  const name = nodeFile(id);
  const state = await fileState(folder, name);
  if (!state) throw new FormatError('broken_tree', 'The file is not there.');
  const file = readObject(await readText(folder, name), 'a node');
  const { value } = file;
  if (value.id !== id) throw wrongShape(`the id "${id}" in the file, which says ${JSON.stringify(value.id)}`);
  const rootId = id.split('/')[0]!;
  const parentId = textIn(value, 'parent_id');
  if (parentId === undefined || (parentId !== rootId && !isOlderNodeId(parentId)))
    throw wrongShape('"parent_id" with the id of a node, or of the root');
  return {
    id,
    rootId,
    parentId,
    childIds: idsIn(value.child_ids),
    message: readOlderMessage(memberTexts(file).get('message') ?? '', value.message),
    metadata: objectAt(file, 'metadata') ?? { text: '{}', value: {} },
    file,
    state,
  };
}

function idsIn(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((id): id is string => typeof id === 'string' && isOlderNodeId(id)) : [];
}

async function readText(folder: string, name: string): Promise<string> {
  return new TextDecoder('utf-8', { fatal: true }).decode(await readFile(fileIn(folder, name)));
}
