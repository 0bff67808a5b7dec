import { createForest, importFile, memoryStore } from '@skein/forest';
import fc from 'fast-check';
import { SOURCES } from '../../../packages/forest/src/formats/test-sources.ts';
import { mutated } from '../mutate.ts';
import { hold, refusal, type Target } from '../target.ts';

/** Every import format: read, reported or refused; importing the same again adds nothing. */
export const targets: readonly Target[] = [
  {
    name: 'importers',
    input: fc.oneof(mutated(SOURCES.map(({ text }) => text)), fc.string({ unit: 'binary' })),
    async run(text) {
      const forest = createForest(memoryStore());
      try {
        const first = await importFile(forest, [text]);
        const second = await importFile(forest, [text]);
        hold(second.added === 0, `bringing it in again added ${second.added} nodes`);
        const checked = await forest.store.check();
        hold(checked.length === 0, `the forest is not sound: ${checked[0]?.message}`);
        return `${first.format}${first.problems.length > 0 ? ', with problems' : ''}`;
      } catch (error) {
        return refusal(error, ['FormatError']);
      }
    },
  },
];
