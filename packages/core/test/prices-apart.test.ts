import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { expect, it } from 'vitest';

async function modulesOf(entry: string): Promise<string[]> {
  const { metafile } = await build({
    entryPoints: [fileURLToPath(new URL(`../src/${entry}.ts`, import.meta.url))],
    bundle: true,
    format: 'esm',
    platform: 'neutral',
    mainFields: ['module', 'main'],
    conditions: ['import'],
    write: false,
    metafile: true,
  });
  return Object.keys(metafile.inputs);
}

it('the main entry does not hold the price list; the subpath does', async () => {
  const holdsList = (modules: string[]) => modules.some((path) => path.includes('genai-prices'));
  expect(holdsList(await modulesOf('index'))).toBe(false);
  expect(holdsList(await modulesOf('prices'))).toBe(true);
});
