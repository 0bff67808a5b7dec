import { defineConfig } from 'tsdown';

export default defineConfig({ entry: ['src/vitest.ts', 'src/node.ts'] });
