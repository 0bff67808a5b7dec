import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { expect, test } from 'vitest';

/** The files of core of which anything is in the bundle. */
async function filesIn(code: string): Promise<string[]> {
  const { metafile } = await build({
    stdin: { contents: code, resolveDir: fileURLToPath(new URL('.', import.meta.url)) },
    bundle: true,
    format: 'esm',
    platform: 'neutral',
    mainFields: ['module', 'main'],
    conditions: ['import'],
    // Sources have no package.json beside them that says so.
    treeShaking: true,
    write: false,
    metafile: true,
    outdir: 'unused',
    splitting: true,
  });
  return Object.values(metafile.outputs).flatMap(({ inputs }) =>
    Object.entries(inputs)
      .filter(([, { bytesInOutput }]) => bytesInOutput > 0)
      .map(([path]) => path),
  );
}

const isFace = (path: string) => path.includes('src/conversation/');

test.each(['anthropicMessages', 'openaiChat, runWith', 'run'])('{ %s } brings nothing of the faces', async (names) => {
  const files = await filesIn(`export { ${names} } from '../../src/index.ts'`);
  expect(files.length).toBeGreaterThan(10);
  expect(files.filter(isFace)).toEqual([]);
});

test('a list brings no chat and no builder; a chat brings no builder', async () => {
  const list = await filesIn(`export { MessageList } from '../../src/index.ts'`);
  expect(list.filter((path) => /conversation\/(chat|chat-state|conversation|turn|builder|llm)\.ts/.test(path))).toEqual(
    [],
  );
  const chat = await filesIn(`export { Chat } from '../../src/index.ts'`);
  expect(chat.filter((path) => /conversation\/(conversation|turn|builder|llm)\.ts/.test(path))).toEqual([]);
  expect(chat.filter(isFace).length).toBeGreaterThan(3);
});
