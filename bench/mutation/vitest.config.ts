/** The tests of one area, in one process. `SKEIN_AREA` names it. */
import { defineConfig } from 'vitest/config';
import repository from '../../vitest.config.ts';
import { AREAS } from './areas.mjs';

const { SKEIN_AREA = '' } = process.env;
const area = AREAS[SKEIN_AREA];
if (!area) throw new Error(`There is no area "${SKEIN_AREA}": ${Object.keys(AREAS).join(', ')}.`);
const [shared] = repository.test!.projects as { resolve: object; test: { exclude: string[]; globalSetup: string[] } }[];

export default defineConfig({
  resolve: shared!.resolve,
  test: {
    setupFiles: repository.test!.setupFiles!,
    expect: repository.test!.expect!,
    testTimeout: 180_000,
    hookTimeout: 120_000,
    isolate: false,
    globalSetup: shared!.test.globalSetup,
    include: [...area.tests, ...(area.longer ?? [])],
    exclude: [...shared!.test.exclude, 'packages/*/test/simulator/**'],
    coverage: {
      provider: 'custom',
      customProviderModule: `${import.meta.dirname}/v8-provider.mjs`,
      include: [...area.sources],
      exclude: ['**/*.test.ts', '**/test-*.ts'],
      reporter: ['text', 'json-summary'],
      reportsDirectory: `coverage/${SKEIN_AREA}/branches`,
    },
  },
});
