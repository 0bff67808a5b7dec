import { type Compaction, forgetOld } from '@skein/forest';
import type { Command } from 'commander';
import { counted, say, sayJson, warn } from '../output/output.ts';
import { withProgress } from '../output/progress.ts';
import { sayProblems } from '../output/say-problems.ts';
import { inWorld } from '../world/open-world.ts';
import { type ForestFlags, jsonCommand } from './forest-command.ts';

/** `fsck`, `gc` and `pack`. */
export function addUpkeep(program: Command): void {
  jsonCommand(program, 'fsck', 'look at everything that is stored: every hash, every parent, every text').action(fsck);
  jsonCommand(
    program,
    'gc',
    'forget for good what was removed or is older than the retention; nobody else may use the forest meanwhile',
  ).action((flags: ForestFlags) => compact('gc', flags));
  jsonCommand(program, 'pack', 'the same in less space; nobody else may use the forest meanwhile').action(
    (flags: ForestFlags) => compact('pack', flags),
  );
}

async function fsck({ json, ...flags }: ForestFlags): Promise<void> {
  await inWorld(flags, async ({ forest }) => {
    const problems = await withProgress('Looking at everything', () => forest.fsck());
    const summary = problems.length === 0 ? 'All is well.' : `${counted(problems.length, 'problem')}.`;
    sayProblems(problems, {}, summary, json === true);
  });
}

async function compact(how: 'gc' | 'pack', { json, ...flags }: ForestFlags): Promise<void> {
  await inWorld(flags, async ({ forest, config }) => {
    const counts: Compaction = await withProgress('Writing anew', () =>
      how === 'gc' ? forgetOld(forest, config.retention) : forest.pack(),
    );
    if (json) sayJson(counts);
    else say(`${counted(counts.kept, 'record')} kept, ${counts.removed} removed.`);
    for (const path of counts.setAside ?? []) warn(`A file with damage was set aside: ${path}`);
  });
}
