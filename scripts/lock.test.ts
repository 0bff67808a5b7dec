import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { root } from './setup.mjs';

type Locked = { optionalDependencies?: Record<string, string> };

const packages: Record<string, Locked> = JSON.parse(readFileSync(`${root}package-lock.json`, 'utf8')).packages;

/** Whether Node finds `name` from `path`: it searches folder by folder up to the root. */
function isLocked(path: string, name: string): boolean {
  if (packages[path === '' ? `node_modules/${name}` : `${path}/node_modules/${name}`]) return true;
  return path !== '' && isLocked(path.slice(0, Math.max(path.lastIndexOf('/node_modules/'), 0)), name);
}

// A registry without the binaries of some platforms leads to such a lock file, and then `npm ci` fails elsewhere.
test('the lock file lists the optional packages of every platform', () => {
  const missing = Object.entries(packages).flatMap(([path, { optionalDependencies = {} }]) =>
    Object.keys(optionalDependencies).filter((name) => !isLocked(path, name)),
  );
  expect(missing).toEqual([]);
});
