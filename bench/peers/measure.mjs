// The peers against the floors that Skein is measured against.
import { readFileSync } from 'node:fs';
import { streamCase } from '../cases/streams.mjs';
import { HISTORY, turnCase } from '../cases/turns.mjs';
import { conversation } from '../data/history.mjs';
import { PROTOCOLS, pieces } from '../data/streams.mjs';
import { compare, measure } from '../measure.mjs';
import { loadPeers } from './peer.mjs';

/** @import { Peer } from './peer.mjs' */
/** @import { Contestant } from '../measure.mjs' */
/** @import { Row } from '../table.mjs' */

const OPTIONS = { rounds: 3, warmUp: 1 };

/**
 * @param {string} url
 * @returns {Promise<Row[]>}
 */
export async function measurePeers(url) {
  const peers = await loadPeers();
  const said = pieces().join('').length;
  const turns = conversation(HISTORY);
  /** @type {Row[]} */
  const rows = [];
  for (const protocol of PROTOCOLS) {
    const able = peers.filter(({ protocols }) => protocols.includes(protocol));
    const streams = able.map((peer) => contestant(peer, peer.stream(url, protocol), said));
    rows.push(...(await against(`stream, ${protocol}`, streamCase(url, protocol), streams)));
    const sends = able.flatMap((peer) => {
      const turn = peer.turn?.(url, protocol, turns);
      return turn ? [contestant(peer, turn, 'Yes.'.length)] : [];
    });
    rows.push(...(await against(`turn, ${protocol}`, turnCase(url, protocol, { knowsPrevious: true }), sends)));
  }
  return rows;
}

/**
 * @param {Peer} peer
 * @param {() => Promise<string>} run
 * @param {number} expected length of the text
 * @returns {Contestant}
 */
function contestant(peer, run, expected) {
  const name = `${peer.name} ${versionOf(peer.package)}`;
  return {
    name,
    run: async () => {
      const text = await run();
      if (text.length !== expected) throw new Error(`${name}: ${text.length} characters instead of ${expected}`);
    },
  };
}

/**
 * @param {string} title
 * @param {readonly Contestant[]} ours
 * @param {readonly Contestant[]} peers
 * @returns {Promise<Row[]>}
 */
async function against(title, ours, peers) {
  console.error(`measuring the peers: ${title}`);
  const times = await measure([...ours, ...peers], OPTIONS);
  const floor = times.get('floor') ?? [];
  const names = ['skein', ...peers.map(({ name }) => name)];
  return names.map((name) => ({ name: `${title}: ${name}`, ...compare(floor, times.get(name) ?? []) }));
}

/** @param {string} name */
function versionOf(name) {
  const manifest = new URL(`../../node_modules/${name}/package.json`, import.meta.url);
  return JSON.parse(readFileSync(manifest, 'utf8')).version;
}
