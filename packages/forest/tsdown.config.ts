import { defineConfig } from 'tsdown';

export default defineConfig({
  entry: ['src/index.ts', 'src/ag-ui.ts', 'src/ai-sdk.ts', 'src/store.ts', 'src/testing.ts'],
  // The main entry and all it imports is one file, whatever else shares parts of it.
  outputOptions: { comments: false, codeSplitting: { groups: [{ name: 'forest', test: /src[\\/]index\.ts$/ }] } },
});
