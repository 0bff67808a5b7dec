import { defineConfig } from 'tsdown';

export default defineConfig({ entry: ['src/index.ts', 'src/node.ts', 'src/prices.ts', 'src/testing.ts'] });
