/** A release of a small repository with two packages. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { planPublish, planRelease, prepareRelease, readChecks } from './release-steps.mjs';

const CHANGELOG = '# Changelog\n\n## [Unreleased]\n\n### Added\n\n- Yarn.\n\n## [0.1.0] - 2026-01-01\n\n- Wool.\n';

function makeRepository(): string {
  const root = mkdtempSync(join(tmpdir(), 'skein-release-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const write = (path: string, content: object | string) => {
    mkdirSync(join(root, path, '..'), { recursive: true });
    writeFileSync(join(root, path), typeof content === 'string' ? content : JSON.stringify(content));
  };
  write('package.json', { name: 'repository', private: true, version: '0.1.0', workspaces: ['packages/*'] });
  write('packages/a/package.json', {
    name: '@y/a',
    version: '0.1.0',
    dependencies: { '@y/b': '0.1.0', other: '1.0.0' },
  });
  write('packages/b/package.json', { name: '@y/b', version: '0.1.0', devDependencies: { '@y/a': '0.1.0' } });
  write('packages/c/package.json', { name: '@y/c', version: '0.0.0', private: true });
  write('CHANGELOG.md', CHANGELOG);
  const git = (...args: string[]) => execFileSync('git', args, { cwd: root, stdio: 'pipe' });
  git('init', '--quiet');
  git('add', '.');
  git('-c', 'user.name=T', '-c', 'user.email=t@example.com', 'commit', '--quiet', '-m', 'start');
  return root;
}

test('a release sets all versions, closes the changelog, and publishes dependencies first', () => {
  const root = makeRepository();
  const json = (path: string) => JSON.parse(readFileSync(join(root, path), 'utf8'));
  expect(readChecks(root, '0.2.0', false)).toEqual([]);
  expect(planRelease(root, '0.2.0', '2026-12-01')).toEqual([
    '@y/b 0.1.0 → 0.2.0',
    '@y/a 0.1.0 → 0.2.0',
    'CHANGELOG.md: 3 lines become the section 0.2.0 of 2026-12-01',
    'commit "release: 0.2.0", tag v0.2.0',
  ]);
  expect(json('packages/a/package.json').version).toBe('0.1.0');

  prepareRelease(root, '0.2.0', '2026-12-01');
  expect(json('package.json').version).toBe('0.2.0');
  expect(json('packages/a/package.json')).toMatchObject({
    version: '0.2.0',
    dependencies: { '@y/b': '0.2.0', other: '1.0.0' },
  });
  expect(json('packages/b/package.json').devDependencies).toEqual({ '@y/a': '0.2.0' });
  expect(json('packages/c/package.json').version).toBe('0.0.0');
  const changelog = readFileSync(join(root, 'CHANGELOG.md'), 'utf8');
  expect(changelog).toContain('## [Unreleased]\n\n## [0.2.0] - 2026-12-01\n\n### Added\n\n- Yarn.');
  expect(planPublish(root, false).join(' ')).toBe('publish -w packages/b -w packages/a --access public --provenance');
});

test('a release is refused that is not newer, has no changes to tell, is not committed, or is not tagged', () => {
  const root = makeRepository();
  expect(readChecks(root, 'next', false)).toEqual(['"next" is not a version like 0.2.0.']);
  expect(readChecks(root, '0.1.0', false)[0]).toContain('0.1.0 is not newer than 0.1.0');
  expect(readChecks(root, undefined, false)[0]).toContain('This commit has no tag v0.1.0');
  writeFileSync(join(root, 'CHANGELOG.md'), CHANGELOG.replace('### Added\n\n- Yarn.', ''));
  expect(readChecks(root, '0.2.0', false)).toEqual([
    'CHANGELOG.md has nothing under ## [Unreleased]: there is nothing to release.',
    'There are changes that are not committed.',
  ]);
});

test('npm accepts the dry run', () => {
  const root = makeRepository();
  const script = process.env.npm_execpath;
  const [program, before] = script?.endsWith('.js') ? [process.execPath, [script]] : ['npm', []];
  const args = [...before, ...planPublish(root, true), '--offline', '--json'];
  const published = execFileSync(program, args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  expect(Object.keys(JSON.parse(published))).toEqual(['@y/b', '@y/a']);
});
