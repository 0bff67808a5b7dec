import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { root } from './setup.mjs';

type Packages = Record<string, { optionalDependencies?: Record<string, string> }>;

/** Whether Node finds `name` from `path`: it searches folder by folder up to the root. */
function isLocked(packages: Packages, path: string, name: string): boolean {
  if (packages[path === '' ? `node_modules/${name}` : `${path}/node_modules/${name}`]) return true;
  return path !== '' && isLocked(packages, path.slice(0, Math.max(path.lastIndexOf('/node_modules/'), 0)), name);
}

// A registry without the binaries of some platforms leads to such a lock file, and then `npm ci` fails elsewhere.
test.each(['package-lock.json', 'site/package-lock.json'])(
  '%s lists the optional packages of every platform',
  (path) => {
    const packages: Packages = JSON.parse(readFileSync(`${root}${path}`, 'utf8')).packages;
    const missing = Object.entries(packages).flatMap(([path, { optionalDependencies = {} }]) =>
      Object.keys(optionalDependencies).filter((name) => !isLocked(packages, path, name)),
    );
    expect(missing).toEqual([]);
  },
);
