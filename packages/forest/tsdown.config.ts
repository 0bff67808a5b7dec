import { defineConfig } from 'tsdown';

export default defineConfig({ entry: ['src/index.ts', 'src/store.ts', 'src/testing.ts'] });
