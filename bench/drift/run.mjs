// Takes the newest SDKs from the registry and compares their types with our emulator and dialects. See docs/drift.md.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { newestRelease, unpackRelease } from './packages.mjs';
import { describeDrift, readLooked, writeLooked } from './report.mjs';
import { watchApi } from './watch.mjs';
import { watchedApis } from './watched.mjs';

const { values } = parseArgs({ options: { names: { type: 'boolean' }, looked: { type: 'boolean' } } });
const root = fileURLToPath(new URL('../../', import.meta.url));
const page = join(root, 'docs/drift.md');
const text = readFileSync(page, 'utf8');
const looked = readLooked(text);
const cache = join(tmpdir(), 'skein-drift');
mkdirSync(cache, { recursive: true });

const newest = new Map();
let refused = 0;
for (const watched of watchedApis) {
  const before = looked.get(watched.package);
  if (before === undefined)
    throw new Error(`docs/drift.md has no row for ${watched.package}. Add one with the release to compare with.`);
  const after = newest.get(watched.package) ?? newestRelease(watched.package);
  newest.set(watched.package, after);
  const drift = watchApi(watched, {
    root,
    before: unpackRelease(watched.package, before, cache),
    after: unpackRelease(watched.package, after, cache),
  });
  refused += drift.refused.length;
  console.log(describeDrift(watched.api, { package: watched.package, before, after }, drift, values));
}
if (values.looked) writeFileSync(page, writeLooked(text, newest, new Date().toISOString().slice(0, 10)));
if (refused > 0) {
  console.log(`The emulator refuses ${refused} ${refused === 1 ? 'member' : 'members'} that the types allow.`);
  process.exitCode = 1;
}
