import type { StoreRecord } from '../../model/records.ts';
import { makeEntry } from '../../testing/store-samples.ts';
import { recordKey } from '../records.ts';
import type { Files } from './disk.ts';
import { projectFolders } from './project-folders.ts';
import { headerLine, recordLine } from './segment-format.ts';
import { createSegmentSet, type SavedSet } from './segment-set.ts';
import { PageCache } from './tables/pages.ts';
import { createTestDisk } from './test-disk.ts';

const folders = projectFolders('/f', 'p');
const pathOf = (name: string) => `${folders.segments}/${name}`;

/** The first line of a segment of the writer `w`. */
export const HEAD = headerLine('w');

/** The line of an entry. */
export const entryLine = (id: string) => recordLine(makeEntry(id));

/** Segments on a disk of their own, and sets that read them. */
export function testSegments() {
  const disk = createTestDisk();
  const all = disk.files();
  return {
    disk,
    folders,
    pathOf,
    /** The sign of the writer `w`. */
    sign: `${folders.writers}/w.json`,
    put: (name: string, ...parts: string[]) => all.write(pathOf(name), Buffer.from(parts.join(''))),
    add: (name: string, ...parts: string[]) =>
      disk.damage(pathOf(name), (bytes) => Buffer.concat([bytes, Buffer.from(parts.join(''))])),
    remove: (name: string) => all.remove(pathOf(name)),
    /** `found` are the keys of new records; `resets` is how often all were read again, `reads` how often to the end. */
    openSet(change: Partial<Files> = {}, saved?: SavedSet) {
      const files = { ...all, ...change };
      const counts = { found: [] as string[], resets: 0, reads: 0 };
      const events = {
        onRecord: (record: StoreRecord) => void counts.found.push(recordKey(record)),
        onReset: () => void counts.resets++,
        onRead: () => void counts.reads++,
      };
      const set = createSegmentSet(files, folders, events, new PageCache(files, folders.index, 2 ** 20), saved);
      const names = () => [...set.current()].map(({ name }) => name);
      return { files, set, events, counts, names };
    },
  };
}
