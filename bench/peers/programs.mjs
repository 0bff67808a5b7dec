// The peers as programs to measure, and the Node that their newest releases need. They are not part of `npm ci`: they are half a
// gigabyte, and some of them refuse the Node that Skein supports.
import { fileURLToPath } from 'node:url';
import { installedVersion, installFolder, newestNode } from '../install.mjs';
import { PEERS } from './peer.mjs';

/** @import { Program } from '../as-a-user.mjs' */
/** @import { Protocol } from '../data/streams.mjs' */

const folder = fileURLToPath(new URL('.', import.meta.url));
const program = `${folder}program.mjs`;

/** Installs the peers unless the locked ones are there. @returns the Node to run them with, and Skein beside them */
export function installPeers() {
  installFolder(folder);
  return newestNode(folder);
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
      name: `${name} ${installedVersion(folder, peer.package)}`,
      args: ['--expose-gc', program, work, peer.module, protocol, url],
      folder,
    }));
}

/** What each peer needs to ask one provider. @returns {Program[]} */
export function peerImports() {
  return Object.entries(PEERS).map(([name, peer]) => ({
    name: `${name} ${installedVersion(folder, peer.package)}`,
    args: ['-e', peer.imports.map((module) => `import(${JSON.stringify(module)})`).join(',')],
    folder,
  }));
}
