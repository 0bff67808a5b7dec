import { createReadStream } from 'node:fs';

/** A file's path, or its text in pieces. */
export type ImportSource = string | URL | Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array>;

const LONGEST_LOOK = 1024 * 1024;

/** The text of a source, of which the beginning can be looked at first. */
export interface TextSource {
  /** The first line that is not blank, or as much of it as is worth waiting for. */
  readonly firstLine: string;
  /** The first line ended, and there is more than blanks behind it. */
  readonly hasMoreLines: boolean;
  /** All of it, from the start; only once. */
  chunks(): AsyncGenerator<string>;
  /** Characters that were read. */
  read(): number;
  /** Lets go of the file; also when not all of it was read. */
  close(): Promise<void>;
}

export async function openTextSource(source: ImportSource): Promise<TextSource> {
  const pieces = decode(typeof source === 'string' || source instanceof URL ? createReadStream(source) : source);
  let start = '';
  let count = 0;
  const more = async (): Promise<boolean> => {
    const { value, done } = await pieces.next();
    start += value ?? '';
    return done !== true;
  };
  let line = firstLineOf(start);
  while (!line.isWhole && start.length < LONGEST_LOOK && (await more())) line = firstLineOf(start);
  while (line.isWhole && start.slice(line.end).trim() === '' && (await more()));
  return {
    firstLine: line.text,
    hasMoreLines: line.isWhole && start.slice(line.end).trim() !== '',
    read: () => count,
    close: async () => void (await pieces.return(undefined)),
    async *chunks() {
      count = start.length;
      yield start;
      for (let next = await pieces.next(); !next.done; next = await pieces.next()) {
        count += next.value.length;
        yield next.value;
      }
    },
  };
}

function firstLineOf(text: string): { text: string; end: number; isWhole: boolean } {
  const start = text.search(/\S/);
  if (start < 0) return { text: '', end: text.length, isWhole: false };
  const end = text.indexOf('\n', start);
  return end < 0
    ? { text: text.slice(start), end: text.length, isWhole: false }
    : { text: text.slice(start, end), end, isWhole: true };
}

/** Characters may be cut between pieces; a byte order mark is no part of the text. */
async function* decode(
  pieces: Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array>,
): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  for await (const piece of pieces) yield typeof piece === 'string' ? piece : decoder.decode(piece, { stream: true });
  yield decoder.decode();
}
