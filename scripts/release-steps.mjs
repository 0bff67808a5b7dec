// What a release changes and checks, apart from running programs.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { publishOrder } from './packages.mjs';

const UNRELEASED = '## [Unreleased]';

/**
 * What stands in the way of a release. Without a version, the commit must be tagged with the one it has.
 * @param {string} root
 * @param {string | undefined} version
 * @param {boolean} isDry whether uncommitted changes and missing tags are accepted
 */
export function readChecks(root, version, isDry) {
  const problems = [];
  const current = readVersion(root);
  if (version !== undefined && !/^\d+\.\d+\.\d+(-[0-9a-z.-]+)?$/i.test(version))
    problems.push(`"${version}" is not a version like 0.2.0.`);
  else if (version !== undefined && !isNewer(version, current))
    problems.push(`${version} is not newer than ${current}, the version of the packages.`);
  if (version !== undefined && unreleasedText(root) === '')
    problems.push(`CHANGELOG.md has nothing under ${UNRELEASED}: there is nothing to release.`);
  if (!isDry && git(root, ['status', '--porcelain']) !== '') problems.push('There are changes that are not committed.');
  if (!isDry && version === undefined && !git(root, ['tag', '--points-at', 'HEAD']).split('\n').includes(`v${current}`))
    problems.push(`This commit has no tag v${current}: run npm run release -- with a new version first.`);
  return problems;
}

/**
 * What `prepareRelease` would do, a line each.
 * @param {string} root
 * @param {string} version
 * @param {string} date
 */
export function planRelease(root, version, date) {
  return [
    ...publishOrder(root).map(({ manifest }) => `${manifest.name} ${manifest.version} → ${version}`),
    `CHANGELOG.md: ${unreleasedText(root).split('\n').length} lines become the section ${version} of ${date}`,
    `commit "release: ${version}", tag v${version}`,
  ];
}

/**
 * Sets the version of every package and of their dependencies on each other, and closes the section of the changelog.
 * @param {string} root
 * @param {string} version
 * @param {string} date
 */
export function prepareRelease(root, version, date) {
  const names = publishOrder(root).map(({ manifest }) => manifest.name);
  const folders = ['', ...publishOrder(root).map(({ folder }) => folder), 'examples', 'bench'];
  for (const folder of folders) {
    const path = join(root, folder, 'package.json');
    const text = read(path);
    if (text === undefined) continue;
    const manifest = JSON.parse(text);
    if (folder !== 'examples' && folder !== 'bench') manifest.version = version;
    for (const kind of ['dependencies', 'devDependencies', 'peerDependencies'])
      for (const name of names) if (manifest[kind]?.[name] !== undefined) manifest[kind][name] = version;
    writeFileSync(path, `${JSON.stringify(manifest, null, 2)}\n`);
  }
  const path = join(root, 'CHANGELOG.md');
  writeFileSync(path, readFileSync(path, 'utf8').replace(UNRELEASED, `${UNRELEASED}\n\n## [${version}] - ${date}`));
}

/**
 * The arguments of npm that publish every package, each after those that it needs.
 * @param {string} root
 * @param {boolean} isDry
 */
export function planPublish(root, isDry) {
  const chosen = publishOrder(root).flatMap(({ folder }) => ['-w', folder]);
  return ['publish', ...chosen, '--access', 'public', ...(isDry ? ['--dry-run'] : ['--provenance'])];
}

/** @param {string} root */
function unreleasedText(root) {
  const [, after = ''] = (read(join(root, 'CHANGELOG.md')) ?? '').split(UNRELEASED);
  return (after.split(/^## \[/m)[0] ?? '').trim();
}

/** @param {string} root */
function readVersion(root) {
  return JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).version;
}

/** @param {string} path */
function read(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

/** @param {string} root @param {readonly string[]} args */
function git(root, args) {
  return execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim();
}

/** @param {string} version @param {string} than */
function isNewer(version, than) {
  /** @param {string} one */
  const read = (one) => (one.split('-')[0] ?? '').split('.').map(Number);
  const [a, b] = [read(version), read(than)];
  const at = a.findIndex((part, index) => part !== b[index]);
  // 1.0.0 follows 1.0.0-rc.1.
  return at === -1 ? than.includes('-') && version !== than : Number(a[at]) > Number(b[at]);
}
