import { existsSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { defineConfig } from 'tsdown';

const entry = [
  'src/index.ts',
  'src/dialect.ts',
  'src/node.ts',
  'src/otel.ts',
  'src/prices.ts',
  'src/testing.ts',
  'src/ui.ts',
];
const dialects = join(import.meta.dirname, 'src', 'dialects');
const protocols = readdirSync(dialects).filter((name) => existsSync(join(dialects, name, 'provider.ts')));

/** Imports that get another file in Node's build: by the file that imports, and the one it names. */
const ON_DEMAND: Readonly<Record<string, string>> = {
  'registry.ts ./built-in-dialects.ts': 'on-demand.ts',
  'added.ts ./dialect.ts': 'on-demand.ts',
  'index.ts ./write/write-request.ts': 'on-demand.ts',
  'dialect.ts ./dialects/serve.ts': 'on-demand.ts',
  'dialect.ts ./dialects/more.ts': 'more-on-demand.ts',
  'dialect.ts ./dialects/block-events.ts': '../dialect-on-demand.ts',
  'dialect.ts ./run/output-schema.ts': '../dialect-on-demand.ts',
};

/** Bundlers take single modules and leave out what they do not need; Node takes few files and loads them faster. */
export default defineConfig([
  // A constant that is put in the place of its name leaves an import without names behind, of which bundlers warn.
  {
    entry,
    unbundle: true,
    inputOptions: { optimization: { inlineConst: false } },
    minify: false,
    sourcemap: false,
    outputOptions: { comments: true },
  },
  {
    entry: [
      ...entry,
      // What `on-demand.ts` loads.
      {
        'make-dialect': 'src/dialects/dialect.ts',
        'write-request': 'src/dialects/write/write-request.ts',
        serve: 'src/dialects/serve.ts',
        'block-events': 'src/dialects/block-events.ts',
        'output-schema': 'src/run/output-schema.ts',
      },
      ...protocols.map((name) => ({ [name]: `src/dialects/${name}/index.ts` })),
      // What some import and others load later: without a file of its own, it needs an object that holds its exports, and a
      // helper that makes such objects, which is one more file to load.
      {
        'refused-fields': 'src/providers/refused-fields.ts',
        'socket-session': 'src/providers/transport/socket-session.ts',
        'encode-body': 'src/dialects/write/encode-body.ts',
        deliver: 'src/providers/transport/deliver.ts',
      },
    ],
    outDir: 'dist-node',
    dts: false,
    plugins: [
      {
        name: 'on-demand',
        resolveId: (source, importer = '') => {
          const file = ON_DEMAND[`${basename(importer)} ${source}`];
          return file && join(dialects, file);
        },
      },
    ],
    // The main entry and all it imports is one file, whatever else shares parts of it; so is what all protocols share.
    outputOptions: {
      comments: false,
      codeSplitting: {
        groups: [
          { name: 'core', test: /src[\\/]index\.ts$/, priority: 2 },
          { name: 'protocol', test: /dialects[\\/](?:dialect\.ts$|stream\.ts$|write[\\/])/, priority: 1 },
        ],
      },
    },
  },
]);
