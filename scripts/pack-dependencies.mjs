// Which third-party packages a package of ours needs, and where they are installed.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** @typedef {{ name: string, dependencies?: Record<string, string>, peerDependencies?: Record<string, string>, peerDependenciesMeta?: Record<string, { optional?: boolean }>, optionalDependencies?: Record<string, string> }} Manifest */
/** @typedef {{ version?: string, resolved?: string, link?: boolean, dependencies?: Record<string, string>, optionalDependencies?: Record<string, string> }} Locked */

/** Packages that the user's project has already, or does not need. */
export const LEFT_TO_USERS = ['@opentelemetry/api', 'react', 'react-dom', 'vitest'];

/**
 * The third-party packages that a package needs, with what these need: their versions if the package itself names them, and
 * from where to where their files are copied. Peers that are optional are included if they are
 * installed here, because nobody can add them without a network.
 * @param {string} root
 * @param {Manifest} manifest
 */
export function collectDependencies(root, manifest) {
  /** @type {Record<string, Locked>} */
  const locked = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages;
  const own = locked[`node_modules/${manifest.name}`]?.resolved ?? '';
  /** @type {Map<string, string>} where each package goes, by where it is */
  const places = new Map();
  /** @type {Record<string, string>} */
  const bundled = {};

  /** @param {string} from @param {string} name @returns {string | undefined} */
  const find = (from, name) => {
    const path = from === '' ? `node_modules/${name}` : `${from}/node_modules/${name}`;
    if (locked[path]) return path;
    if (from === '') return undefined;
    return find(from.includes('/node_modules/') ? from.slice(0, from.lastIndexOf('/node_modules/')) : '', name);
  };

  /** @param {string} from @param {string} name */
  const add = (from, name) => {
    const path = find(from, name);
    // An optional package of another platform is locked, and not installed.
    if (path === undefined || locked[path]?.link || !existsSync(join(root, path))) return undefined;
    if (!places.has(path)) {
      places.set(path, path.startsWith(`${own}/`) ? path.slice(own.length + 1) : path);
      for (const next of Object.keys({ ...locked[path]?.dependencies, ...locked[path]?.optionalDependencies }))
        add(path, next);
    }
    return locked[path]?.version;
  };

  for (const name of Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies })) {
    if (name === 'skein' || name.startsWith('@skein/') || LEFT_TO_USERS.includes(name)) continue;
    const version = add(own, name);
    // Whoever wants what is optional installs it.
    if (version === undefined && manifest.peerDependenciesMeta?.[name]?.optional) continue;
    if (version === undefined) throw new Error(`${manifest.name} needs ${name}, which is not installed.`);
    bundled[name] = version;
  }
  return { bundled, files: [...places].map(([from, to]) => ({ from, to })) };
}
