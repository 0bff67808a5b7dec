import { SyncError } from '../sync-error.ts';

/**
 * A place that keeps files and runs no Skein: a folder, or a branch of a git repository. Files are only added, and named
 * by a hash of their bytes, so that two machines that add some at once need not agree.
 */
export interface PackStorage {
  /** What people call it, for errors. */
  readonly name: string;
  /** The paths of all files. */
  list(): Promise<readonly string[]>;
  /** Reads files that are in the list. */
  read(paths: readonly string[]): AsyncIterable<{ readonly path: string; readonly bytes: Uint8Array }>;
  /** Adds files, all of them or none. */
  add(files: ReadonlyMap<string, Uint8Array>): Promise<void>;
}

/** Encrypts what is kept in a place. */
export interface PackCipher {
  encrypt(bytes: Uint8Array): Promise<Uint8Array>;
  /** Throws if the bytes were changed, or encrypted for another key. */
  decrypt(bytes: Uint8Array): Promise<Uint8Array>;
}

/** The file that says what a place is. Each machine writes the same. */
export const HEAD_FILE = 'skein.json';
const FORMAT = 1;

/**
 * The text of the file that says what a place is.
 *
 * @example
 * makeHead(true); // '{"skein":"packs","format":1,"encrypted":true}\n'
 */
export function makeHead(encrypted: boolean): string {
  return `${JSON.stringify({ skein: 'packs', format: FORMAT, encrypted })}\n`;
}

/** Throws unless this version can read and write the place with this key, or without one. */
export function checkHead(text: string | undefined, name: string, hasKey: boolean): void {
  const refuse = (why: string) => new SyncError('sync_refused', `${name} ${why} Nothing was written.`);
  const { skein, format, encrypted } = parseHead(text);
  if (skein !== 'packs') throw refuse('has other files, and no conversations of Skein. Choose an empty one.');
  if (format !== FORMAT)
    throw new SyncError(
      'sync_version',
      `${name} is kept in format ${String(format).slice(0, 20)}, and this version knows format ${FORMAT}: update it. Nothing was written.`,
    );
  if (encrypted === true && !hasKey) throw refuse('is encrypted: name the file with its key.');
  if (encrypted !== true && hasKey) throw refuse('is not encrypted: leave the key out, or choose another place.');
}

function parseHead(text: string | undefined): { skein?: unknown; format?: unknown; encrypted?: unknown } {
  try {
    return Object(JSON.parse(text ?? 'null'));
  } catch {
    return {};
  }
}
