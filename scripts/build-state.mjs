// Whether the packages are built from the sources as they are now. It runs before anything is installed, so it uses only
// Node's own modules.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { root } from './setup.mjs';

const FILE = join(root, 'node_modules', '.cache', 'skein-build.json');
const SHARED = ['package-lock.json', 'tsconfig.json', 'tsdown.config.ts', 'scripts/build.mjs'];
const OUTPUT = ['dist', 'dist-node'];
const LEFT_OUT = [...OUTPUT, 'node_modules', 'test', 'LICENSE'];

/**
 * True if nothing has changed since the last build: no source, and no built file; with `types`, if that build made declarations.
 * `npm test` says so itself: building again would take away what other tests are using.
 * @param {{ types?: boolean }} [options]
 */
export function isBuilt({ types = false } = {}) {
  if (process.env.SKEIN_BUILT === 'true') return true;
  if (!existsSync(FILE)) return false;
  const noted = readFileSync(FILE, 'utf8');
  return noted === describeBuild({ types: true }) || (!types && noted === describeBuild({ types: false }));
}

/** Notes that the packages have just been built from these sources. @param {{ types: boolean }} options */
export function noteBuild(options) {
  mkdirSync(dirname(FILE), { recursive: true });
  writeFileSync(FILE, describeBuild(options));
}

/**
 * The contents of all sources, and the names, sizes and times of all built files, as digests.
 * @param {{ types: boolean }} options
 */
function describeBuild({ types }) {
  const folders = readdirSync(join(root, 'packages')).map((name) => join(root, 'packages', name));
  const sources = [
    ...SHARED.map((path) => join(root, path)),
    ...folders.flatMap((folder) => listFiles(folder, LEFT_OUT)),
  ];
  const built = folders.flatMap((folder) => OUTPUT.flatMap((name) => listFiles(join(folder, name))));
  return JSON.stringify({
    types,
    sources: digest(sources.map((path) => [path, readFileSync(path)])),
    built: digest(built.map((path) => [path, `${statSync(path).size} ${statSync(path).mtimeMs}`])),
  });
}

/**
 * All files under a folder, in a fixed order; none if there is no such folder.
 * @param {string} folder
 * @param {readonly string[]} leftOut names that are passed over directly in the folder
 * @returns {string[]}
 */
function listFiles(folder, leftOut = []) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true })
    .filter(({ name }) => !leftOut.includes(name) && !name.endsWith('.tgz'))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => (entry.isDirectory() ? listFiles(join(folder, entry.name)) : [join(folder, entry.name)]));
}

/** @param {readonly (readonly [path: string, content: string | Buffer])[]} files */
function digest(files) {
  const hash = createHash('sha256');
  for (const [path, content] of files) hash.update(`${path}\0${content.length}\0`).update(content);
  return hash.digest('hex');
}
