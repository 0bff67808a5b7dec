import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { assistant, user } from '@skein/core';
import { createForest, fileStore, ROOT } from '@skein/forest';
import { mutated } from '../mutate.ts';
import { hold, type Target } from '../target.ts';

const { file, text: segment } = await sample();

/** The files of a forest: however one is damaged, the forest opens, and what it returns is what was written. */
export const targets: readonly Target[] = [
  {
    name: 'segments',
    input: mutated([segment]),
    async run(text) {
      const folder = mkdtempSync(join(tmpdir(), 'skein-fuzz-'));
      try {
        const own = join(folder, 'projects', 'default', 'segments');
        mkdirSync(own, { recursive: true });
        writeFileSync(join(own, file), text);
        const store = await fileStore(folder);
        const { items } = await store.scan();
        const problems = await store.check();
        await store.close();
        hold(items.length <= 4 || text.length > segment.length, 'more nodes than were written');
        return `${items.length} nodes, ${problems.length === 0 ? 'sound' : [...new Set(problems.map(({ code }) => code))].sort().join('+')}`;
      } finally {
        rmSync(folder, { recursive: true });
      }
    },
  },
];

async function sample(): Promise<{ file: string; text: string }> {
  const folder = mkdtempSync(join(tmpdir(), 'skein-fuzz-'));
  const store = await fileStore(folder);
  const forest = createForest(store);
  const head = await forest.append(ROOT, [user('Hello'), assistant('Hi'), user('How are you?'), assistant('Fine.')]);
  await forest.tag(head, { greeting: true });
  await store.close();
  const own = join(folder, 'projects', 'default', 'segments');
  const [file = ''] = readdirSync(own);
  const text = readFileSync(join(own, file), 'utf8');
  rmSync(folder, { recursive: true });
  return { file, text };
}
