import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const source = (path: string) => fileURLToPath(new URL(`./packages/${path}`, import.meta.url));

export default defineConfig({
  resolve: {
    alias: [
      { find: /^@skein\/core\/(node|otel|prices|testing)$/, replacement: source('core/src/$1.ts') },
      { find: '@skein/forest/testing', replacement: source('forest/src/testing.ts') },
      { find: /^@skein\/(agents|core|emulator|forest|server)$/, replacement: source('$1/src/index.ts') },
    ],
  },
  test: {
    include: [
      'packages/*/{src,test}/**/*.test.ts',
      'examples/**/*.test.ts',
      'scripts/**/*.test.ts',
      'bench/**/*.test.ts',
    ],
    globalSetup: ['packages/forest/test/postgres/global-setup.ts'],
    // Limits, not expectations: what is slow on a busy machine is not wrong.
    testTimeout: 180_000,
    hookTimeout: 120_000,
    teardownTimeout: 60_000,
    expect: { poll: { timeout: 60_000 } },
    // Half of the tests wait for processes and sockets: every core may have one.
    maxWorkers: '100%',
  },
});
