/** Takes packages from the registry: which release is the newest, and its files in a folder of their own. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/**
 * @param {readonly string[]} args
 * @param {string} [cwd]
 */
const npm = (args, cwd) =>
  execFileSync('npm', args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();

/**
 * The release that the registry calls the latest, whatever Node it needs: nothing of it is run.
 *
 * @param {string} name
 */
export const newestRelease = (name) => JSON.parse(npm(['view', `${name}@latest`, 'version', '--json']));

/**
 * Unpacks a release into a folder below `cache`; a release that is there already is not fetched again.
 *
 * @param {string} name
 * @param {string} version
 * @param {string} cache
 * @returns {string} The folder with the package's own files.
 */
export function unpackRelease(name, version, cache) {
  const folder = join(cache, `${name.replace('@', '').replace('/', '-')}-${version}`);
  if (existsSync(folder)) return folder;
  const unfinished = `${folder}.unfinished`;
  rmSync(unfinished, { recursive: true, force: true });
  mkdirSync(unfinished, { recursive: true });
  const [{ filename }] = JSON.parse(npm(['pack', `${name}@${version}`, '--json', '--ignore-scripts'], unfinished));
  execFileSync('tar', ['-xzf', filename, '--strip-components=1'], { cwd: unfinished });
  rmSync(join(unfinished, filename));
  renameSync(unfinished, folder);
  return folder;
}
