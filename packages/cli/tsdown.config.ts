import { defineConfig } from 'tsdown';

export default defineConfig({ entry: ['src/skein.ts'], dts: false });
