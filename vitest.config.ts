import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { configDefaults, defineConfig } from 'vitest/config';
import { findEntry } from './scripts/installed-packages.ts';
import { LONG } from './scripts/long-tests.mjs';
import { SlowestFirst } from './scripts/slowest-first.ts';

const source = (path: string) => fileURLToPath(new URL(`./packages/${path}`, import.meta.url));

const SHARED = [
  // These add a provider or a dialect to those that all share.
  'packages/*/src/**/!(registry|toy-dialect|own-framing).test.ts',
  'packages/{core,emulator}/test/**/*.test.ts',
  // The simulators replace the clock and the timers of their process.
  'packages/{forest,server}/test/*.test.ts',
  'packages/{forest,server}/test/!(simulator)/**/*.test.ts',
];
// These start the built page or the built command, so they use the built packages as well, which Node reads much faster than
// our sources: those of this repository, or those that are installed elsewhere.
const BUILT = ['packages/{cli,testing,web}/test/**/*.test.ts', 'examples/**/*.test.ts'];
const isLong = process.env.SKEIN_LONG === 'true';
const excluded = [...configDefaults.exclude, ...(isLong ? [] : LONG.map((path) => path.replace(/\/$/, '/**')))];
const ALL = [
  'packages/*/{src,test}/**/*.test.ts',
  'examples/**/*.test.ts',
  'scripts/**/*.test.ts',
  'bench/**/*.test.ts',
];

const sources = {
  alias: [
    { find: /^@skein\/core\/(dialect|node|otel|prices|testing|ui)$/, replacement: source('core/src/$1.ts') },
    { find: /^@skein\/forest\/(ag-ui|ai-sdk|store|testing)$/, replacement: source('forest/src/$1.ts') },
    { find: '@skein/server/client', replacement: source('server/src/client.ts') },
    { find: 'skein/server/client', replacement: source('skein/src/server-client.ts') },
    { find: /^skein\/forest\/(ag-ui|ai-sdk|store|testing)$/, replacement: source('skein/src/forest-$1.ts') },
    { find: /^skein\/([a-z]+)$/, replacement: source('skein/src/$1.ts') },
    { find: /^skein$/, replacement: source('skein/src/index.ts') },
    { find: /^@skein\/(agents|core|emulator|forest|react|server)$/, replacement: source('$1/src/index.ts') },
  ],
};

const installed = {
  name: 'installed-packages',
  enforce: 'pre' as const,
  resolveId: (id: string) => (/^(@skein\/|skein(\/|$))/.test(id) ? findEntry(id) : undefined),
};

export default defineConfig({
  test: {
    setupFiles: ['scripts/property-seed.ts'],
    sequence: { sequencer: SlowestFirst },
    // Limits, not expectations: what is slow on a busy machine is not wrong.
    testTimeout: 180_000,
    hookTimeout: 120_000,
    teardownTimeout: 60_000,
    expect: { poll: { timeout: 60_000 } },
    // Half of the tests wait for processes and sockets. A percentage would never give more workers than there are cores.
    maxWorkers: availableParallelism() * 2,
    projects: [
      {
        extends: true,
        resolve: sources,
        // To start a process and to read our sources once more for every file takes longer than most of them. So these share
        // both: nothing in them, or in what they import, may hook into tests, or leave something behind, outside of a test.
        test: {
          name: 'shared',
          include: SHARED,
          exclude: excluded,
          globalSetup: ['packages/forest/test/postgres/global-setup.ts'],
          isolate: false,
        },
      },
      {
        extends: true,
        resolve: sources,
        test: { name: 'apart', include: ALL, exclude: [...excluded, ...SHARED, ...BUILT] },
      },
      {
        extends: true,
        plugins: [installed],
        test: {
          name: 'built',
          include: BUILT,
          exclude: excluded,
          server: { deps: { external: [/\/dist(-node)?\//] } },
        },
      },
    ],
  },
});
