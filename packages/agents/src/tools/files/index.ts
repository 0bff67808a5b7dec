import { type Tool, tool } from '@skein/core';
import { listFolder } from './list-folder.ts';
import { readText } from './read-text.ts';
import { searchBelow } from './search.ts';

const MAX_READ = 200_000;

const pathOnly = (description: string) => ({ type: 'string', description }) as const;

/** `read_file`, `list_files` and `search_files` for everything below one folder, and nothing else. */
export function fileTools(folder: string): readonly Tool[] {
  return [readFile(folder), listFiles(folder), searchFiles(folder)] as readonly Tool[];
}

const readFile = (folder: string) =>
  tool({
    name: 'read_file',
    description: `Reads a text file. Long files are cut after ${MAX_READ} bytes.`,
    input: {
      type: 'object',
      properties: { path: pathOnly('The file, from the folder that list_files shows, such as "notes/today.md"') },
      required: ['path'],
      additionalProperties: false,
    },
    execute: async ({ path }) => {
      const { text, cut } = await explained(readText(folder, String(path), MAX_READ), String(path));
      return cut ? `${text}\n[The file goes on.]` : text;
    },
  });

const listFiles = (folder: string) =>
  tool({
    name: 'list_files',
    description: 'Lists the files and folders in a folder.',
    input: {
      type: 'object',
      properties: { path: pathOnly('The folder; leave it out for the top') },
      additionalProperties: false,
    },
    execute: async ({ path = '' }) => ({ entries: await explained(listFolder(folder, String(path)), String(path)) }),
  });

const searchFiles = (folder: string) =>
  tool({
    name: 'search_files',
    description: 'Finds lines that contain a text in all text files of a folder and the folders in it.',
    input: {
      type: 'object',
      properties: {
        text: { type: 'string', minLength: 1, description: 'What to find; the case does not matter' },
        path: pathOnly('The folder; leave it out for the top'),
      },
      required: ['text'],
      additionalProperties: false,
    },
    execute: async ({ text, path = '' }, { signal }) => ({
      ...(await explained(searchBelow(folder, String(path), String(text), signal), String(path))),
    }),
  });

/** What the system says names real paths, which are none of a model's business. */
async function explained<T>(doing: Promise<T>, path: string): Promise<T> {
  try {
    return await doing;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : undefined;
    const words = code === undefined ? undefined : SYSTEM_WORDS[code];
    throw words === undefined ? error : new Error(`${JSON.stringify(path)}: ${words}.`);
  }
}

const SYSTEM_WORDS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file or folder',
  ENOTDIR: 'there is no such file or folder',
  EACCES: 'it may not be read',
  EPERM: 'it may not be read',
  ELOOP: 'it is a link that leads nowhere',
  ENAMETOOLONG: 'the name is too long',
  ENXIO: 'it is neither a file nor a folder',
};
