/**
 * One program of an area: its tests with all that they import, in which every change of the area's code ("mutant") is there
 * behind a switch, as Stryker's instrumenter writes it. So the code is read once, not once for each mutant.
 */
import { readFileSync } from 'node:fs';
import { builtinModules, createRequire } from 'node:module';
import { dirname } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { LONG } from '../../scripts/long-tests.mjs';
import { readPlaces } from './places.mjs';
import { describeLine, describeMutant } from './reasons.mjs';

/** The tests that `npm test` leaves out, and those that replace the clock of their process. */
const EXCLUDED = [...LONG.map((path) => path.replace(/\/$/, '/**')), 'packages/*/test/simulator/**'];

const root = fileURLToPath(new URL('../../', import.meta.url));
/** The packages of this folder, which only its commands install. */
const installed = `${import.meta.dirname}/node_modules/`;

/**
 * @typedef {import('./reasons.mjs').Described & { id: string, line: number }} Mutant
 * @typedef {{ mutants: Mutant[], tests: string[], packages: string[], code: string }} Program
 */

/**
 * @param {import('./areas.mjs').Area} area
 * @param {string} only a part of the paths of the sources
 * @returns {Promise<Program>}
 */
export async function makeProgram(area, only) {
  const sources = (await find(area.sources)).filter(
    (path) => !/\.test\.ts$|\/test-[^/]+\.ts$/.test(path) && path.includes(only),
  );
  const tests = await find(area.tests, EXCLUDED);
  const { mutants, texts } = await instrument(sources);
  const packages = new Set();
  const entries = ['scripts/property-seed.ts', ...tests].map(
    (path) => `${JSON.stringify(path)}: () => import(${JSON.stringify(root + path)}),`,
  );
  const { outputFiles } = await build({
    stdin: { contents: `module.exports = {${entries.join('\n')}};`, resolveDir: root },
    bundle: true,
    write: false,
    format: 'cjs',
    platform: 'node',
    target: 'node20',
    logLevel: 'error',
    // As modules are; the program runs inside a function, which is not a module.
    banner: { js: '"use strict";' },
    plugins: [sourcesPlugin(texts, packages)],
  });
  return { mutants, tests, packages: [...packages], code: outputFiles[0]?.text ?? '' };
}

/** @param {readonly string[]} patterns @param {readonly string[]} [excluded] */
async function find(patterns, excluded = []) {
  const { globSync } = await import(`${installed}tinyglobby/dist/index.mjs`);
  /** @type {string[]} */
  const found = globSync({ patterns, ignore: [...excluded, '**/node_modules/**'], cwd: root });
  return found.sort();
}

/**
 * @param {readonly string[]} paths
 * @returns {Promise<{ mutants: Mutant[], texts: Map<string, string> }>}
 */
async function instrument(paths) {
  const { Instrumenter } = await import(`${installed}@stryker-mutator/instrumenter/dist/src/index.js`);
  const silent = { debug() {}, info() {}, isDebugEnabled: () => false };
  const files = paths.map((path) => ({ name: path, mutate: true, content: readFileSync(root + path, 'utf8') }));
  const options = { plugins: null, excludedMutations: [], ignorers: [], noHeader: true };
  const made = await new Instrumenter(silent).instrument(files, options);
  const known = new Map(
    files.map(({ name, content }) => [name, { lines: content.split('\n'), places: readPlaces(name, content) }]),
  );
  return {
    mutants: made.mutants
      .filter((/** @type {{ status?: string }} */ { status }) => status !== 'Ignored')
      .map((/** @type {any} */ { id, fileName, mutatorName, location, replacement }) => {
        const { lines, places } = /** @type {NonNullable<ReturnType<typeof known.get>>} */ (known.get(fileName));
        const { within, isErrorText } = places.find(location.start, location.end);
        return {
          id,
          path: fileName,
          line: location.start.line + 1,
          kind: mutatorName === 'StringLiteral' && isErrorText ? 'ErrorText' : mutatorName,
          within,
          source: describeLine(lines[location.start.line]),
          change: describeMutant(lines, location, replacement),
        };
      }),
    // What runs while a module is evaluated counts for all tests, not for the one that is the first to import it.
    texts: new Map(
      made.files.map((/** @type {any} */ { name, content }) => [
        root + name,
        `countLoading(1);\n${content}\ncountLoading(-1);`,
      ]),
    ),
  };
}

/**
 * Our packages are read from their sources; those of others stay outside, and are listed.
 * @param {Map<string, string>} texts
 * @param {Set<string>} packages
 * @returns {import('esbuild').Plugin}
 */
function sourcesPlugin(texts, packages) {
  const builtin = new Set(builtinModules);
  /** @type {Record<string, [string]>} */
  const ours = JSON.parse(readFileSync(`${root}tsconfig.json`, 'utf8')).compilerOptions.paths;
  return {
    name: 'sources',
    setup(bundler) {
      bundler.onResolve({ filter: /^[^./]/ }, ({ path, kind, importer }) => {
        if (kind === 'entry-point') return undefined;
        const source =
          ours[path]?.[0] ?? (path.startsWith('skein/') ? `packages/skein/src/${path.slice(6)}.ts` : undefined);
        if (source) return { path: root + source.replace('./', '') };
        if (path.startsWith('node:') || builtin.has(path)) return { path, external: true };
        const found = path === 'vitest' ? path : resolveFrom(importer, path);
        packages.add(found);
        return { path: found, namespace: 'package' };
      });
      // Their names are listed, because a module that is loaded from outside cannot tell whether it has a default.
      bundler.onLoad({ filter: /./, namespace: 'package' }, async ({ path }) => {
        const names = Object.keys(await importPackage(path));
        const lines = names.map((name) =>
          name === 'default'
            ? 'export default loaded.default;'
            : `export const ${name} = loaded[${JSON.stringify(name)}];`,
        );
        return { contents: `const loaded = loadPackage(${JSON.stringify(path)});\n${lines.join('\n')}` };
      });
      bundler.onLoad({ filter: /\.ts$/, namespace: 'file' }, ({ path }) => {
        const text = texts.get(path) ?? readFileSync(path, 'utf8');
        const place = { url: pathToFileURL(path).href, filename: path, dirname: dirname(path) };
        return {
          loader: 'ts',
          contents: text.replaceAll(/\bimport\.meta\.(url|filename|dirname)\b/g, (_, name) =>
            JSON.stringify(place[/** @type {keyof typeof place} */ (name)]),
          ),
        };
      });
    },
  };
}

/** @param {string} importer @param {string} path */
function resolveFrom(importer, path) {
  try {
    return fileURLToPath(import.meta.resolve(path));
  } catch {
    return createRequire(importer).resolve(path);
  }
}

/**
 * A package by its name or the path of its file.
 * @param {string} path
 * @returns {Promise<Record<string, unknown>>}
 */
export function importPackage(path) {
  return import(path.startsWith('/') ? pathToFileURL(path).href : path);
}
