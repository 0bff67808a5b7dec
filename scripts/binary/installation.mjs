// The files of an installation of `skein` as one compressed archive.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { constants, gzipSync } from 'node:zlib';
import { collectDependencies } from '../pack-dependencies.mjs';
import { publishOrder } from '../packages.mjs';

/** What programs do not need. The texts of licences stay. */
const LEFT_OUT = /(\.d\.[cm]?ts|\.map|\.md|\.markdown|\.tsbuildinfo)$/;
const OWN = ['package.json', 'bin', 'dist', 'dist-node'];

/**
 * The archive is the length of its index in four bytes, the index in JSON (paths and lengths), and then all contents.
 * @param {string} root
 */
export function packInstallation(root) {
  /** @type {Map<string, string>} the file to read, by its path in the archive */
  const files = new Map();
  for (const { folder, manifest } of publishOrder(root)) {
    for (const name of OWN) addFiles(files, join(root, folder, name), `node_modules/${manifest.name}/${name}`);
    for (const { from, to } of collectDependencies(root, manifest).files) {
      // One place for all: the first package of a name is found by all, another version only by the package that needs it.
      const shared = from.startsWith('node_modules/') ? from : `node_modules/${manifest.name}/${to}`;
      addFiles(files, join(root, from), shared);
    }
  }
  const contents = [...files.values()].map((file) => readFileSync(file));
  const index = Buffer.from(JSON.stringify([...files.keys()].map((path, at) => [path, contents[at]?.length ?? 0])));
  const length = Buffer.alloc(4);
  length.writeUInt32LE(index.length);
  const archive = gzipSync(Buffer.concat([length, index, ...contents]), { level: constants.Z_BEST_COMPRESSION });
  return { archive, digest: createHash('sha256').update(archive).digest('hex').slice(0, 16) };
}

/**
 * @param {Map<string, string>} files
 * @param {string} source
 * @param {string} target
 */
function addFiles(files, source, target) {
  const entries = listFolder(source);
  if (entries === undefined) {
    if (!LEFT_OUT.test(source)) files.set(target, source);
    return;
  }
  for (const name of entries) if (name !== 'node_modules') addFiles(files, join(source, name), `${target}/${name}`);
}

/** The names in a folder; undefined if it is a file; none if it does not exist. @param {string} path */
function listFolder(path) {
  try {
    return readdirSync(realpathSync(path)).toSorted();
  } catch (error) {
    const { code } = /** @type {NodeJS.ErrnoException} */ (error);
    if (code === 'ENOTDIR') return undefined;
    if (code === 'ENOENT') return [];
    throw error;
  }
}
