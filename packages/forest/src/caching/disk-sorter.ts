import { mkdtempSync, rmSync } from 'node:fs';
import { type FileHandle, open, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Sorts lines of text in bounded memory: what does not fit is kept in temporary files, which only this user can read. */
export interface DiskSorter {
  /** Adds a line, which has no line feed. */
  add(line: string): Promise<void>;
  /** All lines in the order of their characters. Nothing can be added after that. */
  sorted(): AsyncGenerator<string>;
  /** Removes the temporary files. */
  close(): void;
}

/** How many characters are sorted in memory, how many files are merged at once, and how much is read of each. */
const MOST_CHARACTERS = 4 * 2 ** 20;
const MOST_RUNS = 64;
const PIECE = 2 ** 16;

export function createDiskSorter(most = MOST_CHARACTERS): DiskSorter {
  let lines: string[] = [];
  let held = 0;
  let runs: string[] = [];
  let count = 0;
  let folder: string | undefined;

  const nextRun = () => {
    folder ??= mkdtempSync(join(tmpdir(), 'skein-sort-'));
    return join(folder, String(count++));
  };
  const writeRun = async () => {
    const path = nextRun();
    await writeFile(path, `${lines.sort().join('\n')}\n`);
    [lines, held] = [[], 0];
    runs.push(path);
    if (runs.length >= MOST_RUNS) runs = [await mergeRuns(runs, nextRun())];
  };

  return {
    async add(line) {
      lines.push(line);
      held += line.length;
      if (held >= most) await writeRun();
    },
    async *sorted() {
      if (runs.length === 0) {
        yield* lines.sort();
        return;
      }
      if (lines.length > 0) await writeRun();
      yield* merge(runs);
    },
    close() {
      lines = [];
      if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function mergeRuns(paths: readonly string[], target: string): Promise<string> {
  const file = await open(target, 'w', 0o600);
  try {
    let text = '';
    for await (const line of merge(paths)) {
      text += `${line}\n`;
      if (text.length < PIECE) continue;
      await file.write(text);
      text = '';
    }
    await file.write(text);
  } finally {
    await file.close();
  }
  for (const path of paths) await rm(path);
  return target;
}

/** A sorted file, at its smallest line that was not given yet. */
interface Run {
  line: string;
  readonly rest: AsyncGenerator<string[]>;
  buffered: string[];
  at: number;
}

/** Merges sorted files. */
async function* merge(paths: readonly string[]): AsyncGenerator<string> {
  const files = await Promise.all(paths.map((path) => open(path, 'r')));
  try {
    // A heap: no run has a smaller line than the one at half its index.
    const heap: Run[] = [];
    for (const file of files) {
      const run: Run = { line: '', rest: readLines(file), buffered: [], at: 0 };
      if (await advance(run)) heap.push(run);
    }
    heap.sort((a, b) => (a.line < b.line ? -1 : 1));
    while (heap.length > 0) {
      const first = heap[0]!;
      yield first.line;
      const hasMore = first.at < first.buffered.length ? next(first) : await advance(first);
      if (!hasMore) {
        const last = heap.pop()!;
        if (last === first) continue;
        heap[0] = last;
      }
      sink(heap);
    }
  } finally {
    await Promise.all(files.map((file) => file.close()));
  }
}

/** Moves the first run to its place. */
function sink(heap: Run[]): void {
  for (let at = 0; ; ) {
    let least = at;
    for (const child of [2 * at + 1, 2 * at + 2])
      if (child < heap.length && heap[child]!.line < heap[least]!.line) least = child;
    if (least === at) return;
    [heap[at], heap[least]] = [heap[least]!, heap[at]!];
    at = least;
  }
}

function next(run: Run): true {
  run.line = run.buffered[run.at++]!;
  return true;
}

async function advance(run: Run): Promise<boolean> {
  while (run.at >= run.buffered.length) {
    const { value, done } = await run.rest.next();
    if (done) return false;
    [run.buffered, run.at] = [value, 0];
  }
  return next(run);
}

async function* readLines(file: FileHandle): AsyncGenerator<string[]> {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  const bytes = Buffer.allocUnsafe(PIECE);
  let rest = '';
  for (;;) {
    const { bytesRead } = await file.read(bytes, 0, PIECE);
    if (bytesRead === 0) return;
    const lines = (rest + decoder.decode(bytes.subarray(0, bytesRead), { stream: true })).split('\n');
    rest = lines.pop()!;
    yield lines;
  }
}
