import { defineConfig } from 'tsdown';

/** What every package has in common; each names its entries in its own tsdown.config.ts. */
export default defineConfig({
  // The page is built by vite.
  workspace: { include: 'packages/*', exclude: ['packages/web'] },
  format: 'esm',
  platform: 'neutral',
  target: 'es2023',
  // Nothing of others is copied into our packages, unless a package says so.
  deps: { neverBundle: [/^node:/], onlyBundle: [] },
  dts: true,
  // Less to read at every start. Node prints the line that threw, and names in traces: both are for people.
  minify: {
    compress: true,
    mangle: { keepNames: { class: true, function: true } },
    codegen: { removeWhitespace: false },
  },
  outputOptions: { comments: false },
  sourcemap: true,
  failOnWarn: true,
  // A slow machine is no reason to warn whoever starts it.
  checks: { pluginTimings: false },
});
