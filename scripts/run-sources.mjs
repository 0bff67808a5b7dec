// Runs a program of our sources as plain JavaScript: the test runner's way of loading modules takes most of the time of a run.
import { readFile } from 'node:fs/promises';
import { build } from 'esbuild';
import { root, run } from './setup.mjs';

/** How Node runs a bundle. */
export const NODE_OPTIONS = ['--enable-source-maps', '--max-old-space-size=8192'];

/**
 * A text of a source file that another one replaces in a bundle.
 * @typedef {{ readonly file: string, readonly replace: string, readonly by: string }} SourceChange
 */

/**
 * Bundles a program of a package and runs it; true when it succeeded.
 * @param {string} path under the repository's root
 * @param {readonly string[]} args
 */
export async function runSources(path, args) {
  const program = await bundleSources(path);
  return run(process.execPath, [...NODE_OPTIONS, program, ...args]);
}

/**
 * Bundles a program of a package, and returns the path of the bundle.
 * @param {string} path under the repository's root
 * @param {{ name?: string, changes?: readonly SourceChange[] }} [options] `name` keeps bundles of one program apart
 */
export async function bundleSources(path, { name = '', changes = [] } = {}) {
  // Below the package, so that the bundle finds the releases of others' packages that this one names.
  const folder = `${root}${path.split('/', 2).join('/')}/node_modules/.cache/skein/`;
  const program = folder + path.replace(/.*\//, '').replace('.ts', `${name}.mjs`);
  const applied = new Set();
  await build({
    entryPoints: [root + path],
    outfile: program,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    sourcemap: true,
    packages: 'external',
    plugins: [
      {
        name: 'sources',
        setup({ onResolve, onLoad }) {
          onResolve({ filter: /^@skein\// }, ({ path: name }) => {
            const [, folder, entry = 'index'] = name.split('/');
            return { path: `${root}packages/${folder}/src/${entry}.ts` };
          });
          if (changes.length > 0)
            onLoad({ filter: /\.ts$/ }, async ({ path: file }) => {
              const own = changes.filter((change) => root + change.file === file);
              if (own.length === 0) return undefined;
              for (const change of own) applied.add(change);
              return { contents: changeText(await readFile(file, 'utf8'), own), loader: 'ts' };
            });
        },
      },
    ],
  });
  for (const change of changes)
    if (!applied.has(change)) throw new Error(`${path} does not use ${change.file}, which is to be changed.`);
  return program;
}

/**
 * @param {string} text
 * @param {readonly SourceChange[]} changes
 */
function changeText(text, changes) {
  return changes.reduce((changed, { file, replace, by }) => {
    const [before, after, ...others] = changed.split(replace);
    if (before === undefined || after === undefined || others.length > 0)
      throw new Error(`${file} must have this text once, so that it can be changed:\n${replace}`);
    return before + by + after;
  }, text);
}
