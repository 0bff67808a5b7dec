import { listFolder } from './list-folder.ts';
import { readText } from './read-text.ts';

interface Hit {
  readonly path: string;
  readonly line: number;
  readonly text: string;
}

export interface Found {
  readonly hits: readonly Hit[];
  /** There may be more: a bound was reached. */
  readonly cut: boolean;
}

const MAX_FILES = 5_000;
const MAX_HITS = 100;
const MAX_FILE_BYTES = 2_000_000;
const MAX_LINE = 400;

/** Lines that contain a text, whatever the case. No regular expressions: a model could write one that never ends. */
export async function searchBelow(folder: string, path: string, wanted: string, signal: AbortSignal): Promise<Found> {
  const lower = wanted.toLowerCase();
  const hits: Hit[] = [];
  let files = 0;
  const pending = [path];
  for (let place = pending.shift(); place !== undefined; place = pending.shift()) {
    // Gone, or changed into something else, since it was listed: as if it had not been there.
    for (const entry of await listFolder(folder, place).catch(onlyFirst(place === path))) {
      signal.throwIfAborted();
      if (entry.type === 'folder') pending.push(entry.path);
      else {
        if (++files > MAX_FILES) return { hits, cut: true };
        hits.push(...(await hitsIn(folder, entry.path, lower)));
        if (hits.length >= MAX_HITS) return { hits: hits.slice(0, MAX_HITS), cut: true };
      }
    }
  }
  return { hits, cut: false };
}

const onlyFirst = (isFirst: boolean) => (error: unknown) => {
  if (isFirst) throw error;
  return [];
};

async function hitsIn(folder: string, path: string, lower: string): Promise<Hit[]> {
  try {
    const { text } = await readText(folder, path, MAX_FILE_BYTES);
    return text
      .split('\n')
      .map((line, index) => ({ path, line: index + 1, text: line.slice(0, MAX_LINE) }))
      .filter((hit) => hit.text.toLowerCase().includes(lower));
  } catch {
    // Not a text, or not readable: nothing that could be found.
    return [];
  }
}
