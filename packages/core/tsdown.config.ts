import { defineConfig } from 'tsdown';

const entry = ['src/index.ts', 'src/dialect.ts', 'src/node.ts', 'src/otel.ts', 'src/prices.ts', 'src/testing.ts'];

/** Bundlers take single modules and leave out what they do not need; Node takes few files and loads them faster. */
export default defineConfig([
  // A constant that is put in the place of its name leaves an import without names behind, of which bundlers warn.
  { entry, inputOptions: { optimization: { inlineConst: false } } },
  {
    entry,
    outDir: 'dist-node',
    unbundle: false,
    dts: false,
    // Node prints the line that threw, and names in traces: both are for people.
    minify: {
      compress: true,
      mangle: { keepNames: { class: true, function: true } },
      codegen: { removeWhitespace: false },
    },
    sourcemap: true,
    // The main entry and all it imports is one file, whatever else shares parts of it.
    outputOptions: { comments: false, codeSplitting: { groups: [{ name: 'core', test: /src[\\/]index\.ts$/ }] } },
  },
]);
