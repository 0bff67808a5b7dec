import { forgetOld } from '@skein/forest';
import type { Command } from 'commander';
import { type ForestFlags, listingCommand } from '../command.ts';
import { inWorld } from '../open-world.ts';
import { say, sayJson } from '../output.ts';
import { sayProblems } from '../problems.ts';
import { withProgress } from '../progress.ts';

/** `fsck`, `gc` and `pack`. */
export function addUpkeep(program: Command): void {
  listingCommand(program, 'fsck', 'look at everything that is stored: every hash, every parent, every text').action(
    fsck,
  );
  listingCommand(
    program,
    'gc',
    'forget for good what was removed or is older than the retention; nobody else may use the forest meanwhile',
  ).action((flags: ForestFlags) => compact('gc', flags));
  listingCommand(program, 'pack', 'the same in less space; nobody else may use the forest meanwhile').action(
    (flags: ForestFlags) => compact('pack', flags),
  );
}

async function fsck({ json, ...flags }: ForestFlags): Promise<void> {
  await inWorld(flags, async ({ forest }) => {
    const problems = await withProgress('Looking at everything', () => forest.fsck());
    const summary = problems.length === 0 ? 'All is well.' : `${problems.length} problems.`;
    sayProblems(problems, {}, summary, json === true);
  });
}

async function compact(how: 'gc' | 'pack', { json, ...flags }: ForestFlags): Promise<void> {
  await inWorld(flags, async ({ forest, config }) => {
    const counts = await withProgress('Writing anew', () =>
      how === 'gc' ? forgetOld(forest, config.retention) : forest.pack(),
    );
    if (json) sayJson(counts);
    else say(`${counts.kept} records kept, ${counts.removed} removed.`);
  });
}
