// The program inside the executable. Its first start unpacks the packages into a folder of the user; later starts use that
// folder. So modules that are loaded on demand, and the page, are files as in any installation.
const { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } = require('node:fs');
const { createRequire } = require('node:module');
const { homedir, tmpdir } = require('node:os');
const { dirname, join } = require('node:path');
const { getAsset, getRawAsset } = require('node:sea');
const { gunzipSync } = require('node:zlib');

const folder = findInstallation();
const entry = join(folder, 'node_modules', 'skein', 'bin', 'skein.js');
// A program that starts this one again, as it would start Node, names the script.
if (process.argv[2]?.endsWith(join('node_modules', 'skein', 'bin', 'skein.js'))) process.argv.splice(2, 1);
process.argv[1] = entry;
createRequire(entry)(join(folder, 'start.cjs'));

/** The folder with the unpacked packages. Each build has its own. */
function findInstallation() {
  const wanted = join(cacheFolder(), 'skein', getAsset('digest', 'utf8'));
  if (existsSync(wanted)) return wanted;
  try {
    mkdirSync(dirname(wanted), { recursive: true, mode: 0o700 });
    const fresh = mkdtempSync(`${wanted}-`);
    unpack(fresh);
    try {
      renameSync(fresh, wanted);
    } catch (error) {
      // Another process was faster.
      rmSync(fresh, { recursive: true, force: true });
      if (!existsSync(wanted)) throw error;
    }
    return wanted;
  } catch {
    return unpackForOnce();
  }
}

/** For users without a home that can be written to. */
function unpackForOnce() {
  const folder = mkdtempSync(join(tmpdir(), 'skein-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  unpack(folder);
  return folder;
}

function cacheFolder() {
  if (process.platform === 'win32') return process.env.LOCALAPPDATA ?? join(homedir(), 'AppData', 'Local');
  if (process.platform === 'darwin') return join(homedir(), 'Library', 'Caches');
  return process.env.XDG_CACHE_HOME || join(homedir(), '.cache');
}

/** @param {string} folder */
function unpack(folder) {
  const archive = gunzipSync(getRawAsset('installation'));
  const start = 4 + archive.readUInt32LE(0);
  /** @type {[path: string, length: number][]} */
  const index = JSON.parse(archive.toString('utf8', 4, start));
  const folders = new Set(index.map(([path]) => dirname(path)));
  for (const name of folders) mkdirSync(join(folder, name), { recursive: true });
  let at = start;
  for (const [path, length] of index) {
    writeFileSync(join(folder, path), archive.subarray(at, at + length));
    at += length;
  }
  // `import()` inside the executable knows only Node's own modules; in a file it knows all.
  writeFileSync(join(folder, 'start.cjs'), "import('./node_modules/skein/bin/skein.js');\n");
}
