// `npm run pack`: one folder of package files that installs without a network: each contains the third-party packages that it
// needs, in the locked versions.
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { isBuilt } from './build-state.mjs';
import { collectDependencies, LEFT_TO_USERS } from './pack-dependencies.mjs';
import { publishOrder } from './packages.mjs';
import { build, npm, root, setUp } from './setup.mjs';

const folder = resolve(process.argv[2] ?? join(root, 'packed'));

if (setUp() && (isBuilt({ types: true }) || build({ types: true })) && packAll()) {
  console.log(`\nThe packages are in ${folder}. This installs them without a network, also with -g:\n`);
  console.log(`  npm install --offline ${join(folder, '*.tgz')}`);
} else process.exitCode = 1;

function packAll() {
  const work = mkdtempSync(join(tmpdir(), 'skein-packing-'));
  try {
    const chosen = publishOrder().flatMap(({ folder }) => ['-w', folder]);
    if (!npm(['pack', ...chosen, '--pack-destination', work, '--loglevel', 'error'])) return false;
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    for (const file of readdirSync(work).filter((name) => name.endsWith('.tgz'))) addDependencies(work, file);
    return true;
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/**
 * Writes a package file again, with its dependencies in it.
 * @param {string} work
 * @param {string} file
 */
function addDependencies(work, file) {
  const unpacked = join(work, 'package');
  rmSync(unpacked, { recursive: true, force: true });
  execFileSync('tar', ['-xzf', file], { cwd: work });
  const path = join(unpacked, 'package.json');
  const manifest = JSON.parse(readFileSync(path, 'utf8'));
  const { bundled, files } = collectDependencies(root, manifest);
  for (const { from, to } of files) {
    // A package inside another one is in the list itself.
    const nested = join(root, from, 'node_modules');
    if (existsSync(join(unpacked, to, 'package.json'))) throw new Error(`Two packages want to be ${to} in ${file}.`);
    cpSync(join(root, from), join(unpacked, to), { recursive: true, filter: (source) => source !== nested });
  }
  manifest.dependencies = { ...manifest.dependencies, ...bundled };
  manifest.bundleDependencies = Object.keys(bundled);
  for (const name of Object.keys(bundled)) {
    delete manifest.peerDependencies?.[name];
    delete manifest.peerDependenciesMeta?.[name];
  }
  // npm would look for them in the registry.
  for (const name of LEFT_TO_USERS.filter((one) => manifest.peerDependencies?.[one]))
    manifest.peerDependenciesMeta = { ...manifest.peerDependenciesMeta, [name]: { optional: true } };
  writeFileSync(path, `${JSON.stringify(manifest, null, 2)}\n`);
  execFileSync('tar', ['-czf', join(folder, file), 'package'], { cwd: work });
}
