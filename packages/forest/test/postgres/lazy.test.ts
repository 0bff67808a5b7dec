import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { expect, test } from 'vitest';

test('who keeps a forest elsewhere loads neither pg nor kysely', async () => {
  const { metafile } = await build({
    entryPoints: [fileURLToPath(new URL('../../src/index.ts', import.meta.url))],
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    packages: 'external',
    outdir: 'unused',
    write: false,
    metafile: true,
  });
  const ofKind = (kind: string) => {
    const reached = new Set([Object.keys(metafile.outputs).find((path) => path.endsWith('/index.js'))!]);
    for (const path of reached)
      for (const found of metafile.outputs[path]?.imports ?? [])
        if (found.kind === kind || kind === 'any') reached.add(found.path);
    return [...reached];
  };
  expect(ofKind('import-statement')).not.toContain('pg');
  expect(ofKind('import-statement')).not.toContain('kysely');
  expect(ofKind('any')).toEqual(expect.arrayContaining(['pg', 'kysely']));
});
