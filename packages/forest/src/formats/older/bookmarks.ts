import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isObject } from '@skein/core';
import { parse } from 'smol-toml';
import { sha256 } from '../../model/ids.ts';
import type { RefRecord } from '../../model/records.ts';
import { FormatError } from '../format-error.ts';
import { sourceStamp } from '../imported-thread.ts';
import { readTime, textMember } from '../source/exact-json.ts';
import type { FolderScan } from './converter.ts';
import { type FileProblems, isOlderNodeId } from './older-files.ts';

interface OlderBookmark {
  readonly title: string;
  readonly nodeId: string;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** Adds the bookmarks of the configuration. A bookmark whose node cannot be read is reported. */
export async function addBookmarks(folder: string, scan: FolderScan, problems: FileProblems): Promise<void> {
  for (const file of await configFiles(folder)) {
    try {
      const bookmarks = await readOlderBookmarks(folder, file);
      problems.resolve(file);
      for (const bookmark of bookmarks) {
        const seen = await scan.node(bookmark.nodeId);
        if (seen) scan.add(bookmarkRecords(bookmark, seen.place.id));
        else
          problems.report(
            file,
            new Error(`The bookmark "${bookmark.title}" refers to ${bookmark.nodeId}, which cannot be read.`),
          );
      }
    } catch (error) {
      problems.report(file, error);
    }
  }
}

/** `config.toml` and its variants. Only bookmarks are read from them, because they hold keys. */
async function configFiles(folder: string): Promise<string[]> {
  return (await readdir(folder)).filter((name) => /^config(\.[\w-]+)?\.toml$/.test(name)).sort();
}

async function readOlderBookmarks(folder: string, file: string): Promise<OlderBookmark[]> {
  const { bookmarks } = await readConfig(folder, file);
  if (!Array.isArray(bookmarks)) return [];
  return bookmarks.filter(isObject).flatMap((bookmark) => {
    const nodeId = textMember(bookmark, 'nodeId');
    if (nodeId === undefined || !isOlderNodeId(nodeId)) return [];
    const createdAt = readDate(bookmark.createdAt) ?? 0;
    const updatedAt = readDate(bookmark.updatedAt) ?? createdAt;
    return { title: textMember(bookmark, 'title') ?? '', nodeId, createdAt, updatedAt };
  });
}

export async function olderSettings(folder: string): Promise<readonly { file: string; names: readonly string[] }[]> {
  const files = await configFiles(folder);
  const found = await Promise.all(
    files.map(async (file) => {
      // Invalid TOML is reported when bookmarks are read.
      const config = await readConfig(folder, file).catch(() => ({}));
      return { file, names: SETTINGS.filter((name) => Object.hasOwn(config, name)) };
    }),
  );
  return found.filter(({ names }) => names.length > 0);
}

const SETTINGS = ['defaults', 'presets', 'activePresetName', 'mcp_servers'];

async function readConfig(folder: string, file: string): Promise<Record<string, unknown>> {
  return parseToml(await readFile(join(folder, file), 'utf8'));
}

/** A bookmark is identified by its node and its creation time, so a new title does not make a new bookmark. */
function bookmarkRecords({ title, nodeId, createdAt, updatedAt }: OlderBookmark, node: string): RefRecord[] {
  const key = `older-${sha256(`${nodeId}\n${createdAt}`).slice(0, 16)}`;
  const values = { title, created: createdAt, node };
  const clock = sourceStamp(updatedAt);
  return Object.entries(values).map(([name, value]) => ({ k: 'ref', on: 'bookmark', key, name, value, clock }));
}

/** Reads a TOML date or a text. */
function readDate(value: unknown): number | undefined {
  return readTime(value instanceof Date ? value.toISOString() : value);
}

function parseToml(text: string): Record<string, unknown> {
  try {
    return parse(text);
  } catch (cause) {
    // The parser's message may quote a key, so it is not shown.
    const { line, column } = cause as { line?: unknown; column?: unknown };
    throw new FormatError('wrong_shape', `This is not valid TOML; see line ${line}, column ${column}.`);
  }
}
