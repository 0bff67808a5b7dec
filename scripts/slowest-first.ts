import { relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The files that take longest, as `npm test` prints them; an order, not a promise. */
const SLOWEST = [
  'packages/web/test/details.test.ts',
  'packages/web/test/access.test.ts',
  'scripts/pack.test.ts',
  'packages/cli/test/asking.test.ts',
  'packages/agents/test/mcp.test.ts',
  'packages/web/test/threads.test.ts',
  'scripts/kinds-of-block.test.ts',
  'packages/cli/test/conversations.test.ts',
  'packages/web/test/conversing.test.ts',
  'packages/web/test/live.test.ts',
  'packages/web/test/outage.test.ts',
  'scripts/postgres.test.ts',
  'packages/core/test/loops/twins.test.ts',
  'packages/forest/test/crash/forest-kill.test.ts',
  'packages/core/test/loops/switching.test.ts',
  'packages/core/test/loops/ten-turns.test.ts',
  'packages/core/test/faces/ten-turns.test.ts',
  'packages/core/test/matrix/matrix.test.ts',
  'packages/core/test/loops/tool-loops.test.ts',
  'packages/core/test/properties/cut-anywhere.test.ts',
  'packages/core/test/matrix/random.test.ts',
  'packages/core/test/matrix/compaction.test.ts',
  'packages/core/test/run/compaction.test.ts',
];

/**
 * Starts the slowest files of each project first, so that none is left alone at the end. Without this a fresh clone, which
 * has no durations of an earlier run, starts the largest files first.
 */
export class SlowestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const ranks = new Map(SLOWEST.map((file, rank) => [file, rank]));
    const rank = ({ moduleId }: TestSpecification): number =>
      ranks.get(relative(this.ctx.config.root, moduleId).replaceAll('\\', '/')) ?? SLOWEST.length;
    const sorted = await super.sort(files);
    return sorted.toSorted((a, b) => {
      if (a.project.name !== b.project.name) return a.project.name < b.project.name ? -1 : 1;
      return rank(a) - rank(b);
    });
  }
}
