// `skein why all` over recorded traffic, against a program that reads the same requests through the store and does nothing with them.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { writeRecordings } from '../data/recordings.mjs';

/** @import { UserCase } from '../as-a-user.mjs' */

const SKEIN = fileURLToPath(new URL('../../packages/cli/bin/skein.js', import.meta.url));
const READER = fileURLToPath(new URL('../programs/read-bodies.mjs', import.meta.url));
/** What is in use must be the same for all. */
const SIZES = [10_000, 50_000, 100_000];

/**
 * Writes the recordings: 16 MB for each thousand. `end` removes them, unless `SKEIN_BENCH_RECORDINGS` names a folder to keep them in.
 * @returns {Promise<{ cases: UserCase[], end: () => Promise<void> }>}
 */
export async function cachingCases() {
  const kept = process.env.SKEIN_BENCH_RECORDINGS;
  const folder = kept ?? (await mkdtemp(join(tmpdir(), 'skein-recordings-')));
  /** @type {UserCase[]} */
  const cases = [];
  for (const size of SIZES) {
    const store = join(folder, String(size));
    console.error(`writing ${size} recorded exchanges`);
    await writeRecordings(store, size);
    cases.push({
      name: `skein why all, ${size.toLocaleString('en')} exchanges`,
      group: 'why',
      rounds: size > 10_000 ? 3 : 5,
      programs: [
        { name: 'floor', args: [READER, 'store', store] },
        { name: 'plain JSON lines', args: [READER, 'lines', store] },
        { name: 'skein', args: [SKEIN, 'why', 'all', '--store', store] },
        { name: 'skein, in use', args: [SKEIN, 'why', 'all', '--store', store], inUse: true },
      ],
    });
  }
  return { cases, end: async () => (kept === undefined ? rm(folder, { recursive: true, force: true }) : undefined) };
}
