// The packages that are published.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './setup.mjs';

/** @typedef {{ name: string, version: string, private?: boolean, dependencies?: Record<string, string> }} Manifest */

/**
 * The packages of a repository that are published, each after those that it needs.
 * @param {string} [repository] its folder
 * @returns {{ folder: string, manifest: Manifest }[]} folders from the root, such as `packages/core`
 */
export function publishOrder(repository = root) {
  const all = readdirSync(join(repository, 'packages'))
    .map((name) => `packages/${name}`)
    .filter((folder) => existsSync(join(repository, folder, 'package.json')))
    .map((folder) => ({ folder, manifest: readManifest(join(repository, folder)) }))
    .filter(({ manifest }) => !manifest.private);
  /** @type {typeof all} */
  const ordered = [];
  /** @param {(typeof all)[number]} one */
  const add = (one) => {
    if (ordered.includes(one)) return;
    for (const other of all) if (other !== one && other.manifest.name in (one.manifest.dependencies ?? {})) add(other);
    ordered.push(one);
  };
  for (const one of all) add(one);
  return ordered;
}

/** @param {string} folder @returns {Manifest} */
function readManifest(folder) {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
}
