import { existsSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { defineConfig } from 'tsdown';

const entry = ['src/index.ts', 'src/dialect.ts', 'src/node.ts', 'src/otel.ts', 'src/prices.ts', 'src/testing.ts'];
const dialects = new URL('src/dialects/', import.meta.url);
const protocols = readdirSync(dialects).filter((name) => existsSync(new URL(`${name}/provider.ts`, dialects)));

/** Bundlers take single modules and leave out what they do not need; Node takes few files and loads them faster. */
export default defineConfig([
  // A constant that is put in the place of its name leaves an import without names behind, of which bundlers warn.
  { entry, unbundle: true, inputOptions: { optimization: { inlineConst: false } } },
  {
    // What `on-demand.ts` loads are files of their own.
    entry: [
      ...entry,
      { 'make-dialect': 'src/dialects/dialect.ts' },
      // So is what some import and others load later: otherwise it needs an object that holds its exports.
      { 'refused-fields': 'src/providers/refused-fields.ts' },
      ...protocols.map((name) => ({ [name]: `src/dialects/${name}/index.ts` })),
    ],
    outDir: 'dist-node',
    dts: false,
    plugins: [
      {
        name: 'dialects-on-demand',
        resolveId: (source, importer = '') =>
          source === './built-in-dialects.ts' || (source === './dialect.ts' && importer.endsWith('added.ts'))
            ? join(dirname(importer), 'on-demand.ts')
            : undefined,
      },
    ],
    // Node prints the line that threw, and names in traces: both are for people.
    minify: {
      compress: true,
      mangle: { keepNames: { class: true, function: true } },
      codegen: { removeWhitespace: false },
    },
    sourcemap: true,
    // The main entry and all it imports is one file, whatever else shares parts of it; so is what all protocols share.
    outputOptions: {
      comments: false,
      codeSplitting: {
        groups: [
          { name: 'core', test: /src[\\/]index\.ts$/, priority: 2 },
          { name: 'protocol', test: /dialects[\\/](dialect\.ts$|write|stream)/, priority: 1 },
        ],
      },
    },
  },
]);
