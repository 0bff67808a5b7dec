/** Mutants of one area, each judged by the tests of that area that reach it. `SKEIN_AREA` names it. */
import { AREAS } from './areas.mjs';

const { SKEIN_AREA = '', SKEIN_ONLY = '' } = process.env;
const folder = import.meta.dirname;
const { sources = [] } = AREAS[SKEIN_AREA] ?? {};

export default {
  testRunner: 'vitest',
  vitest: { configFile: 'bench/mutation/vitest.config.ts', related: false },
  plugins: [`${folder}/node_modules/@stryker-mutator/vitest-runner/dist/src/index.js`],
  disableTypeChecks: false,
  mutate: [
    ...(SKEIN_ONLY ? sources.map((path) => path.replace('*.ts', SKEIN_ONLY)) : sources),
    '!**/*.test.ts',
    '!**/test-*.ts',
  ],
  // Mutants live in a copy of what the tests need.
  ignorePatterns: [
    '**',
    '!package.json',
    '!tsconfig.json',
    '!vitest.config.ts',
    '!scripts/**',
    '!bench/**',
    '!packages/**',
    'bench/data/**',
    '**/dist/**',
    '**/dist-node/**',
  ],
  coverageAnalysis: 'perTest',
  concurrency: 1,
  timeoutMS: 60_000,
  reporters: ['json', 'clear-text'],
  clearTextReporter: {
    allowColor: false,
    allowEmojis: false,
    logTests: false,
    reportTests: false,
    reportMutants: true,
    reportScoreTable: true,
  },
  jsonReporter: { fileName: `coverage/${SKEIN_AREA}/mutants${SKEIN_ONLY && `-${SKEIN_ONLY}`}.json` },
  tempDirName: 'coverage/.stryker',
  allowConsoleColors: false,
};
