// Runs a program of our sources as plain JavaScript: the test runner's way of loading modules takes most of the time of a run.
import { build } from 'esbuild';
import { root, run } from './setup.mjs';

/**
 * Bundles a program of a package and runs it; true when it succeeded.
 * @param {string} path under the repository's root
 * @param {readonly string[]} args
 */
export async function runSources(path, args) {
  const program = `${root}node_modules/.cache/skein/${path.replace(/.*\//, '').replace('.ts', '.mjs')}`;
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
        setup({ onResolve }) {
          onResolve({ filter: /^@skein\// }, ({ path: name }) => {
            const [, folder, entry = 'index'] = name.split('/');
            return { path: `${root}packages/${folder}/src/${entry}.ts` };
          });
        },
      },
    ],
  });
  return run(process.execPath, ['--enable-source-maps', '--max-old-space-size=8192', program, ...args]);
}
