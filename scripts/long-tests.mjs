// The tests that do not fit into `npm test`: they take long, and most of what they notice is noticed by
// another test, too. `npm run test:long` runs this file.
import { pathToFileURL } from 'node:url';
import { build, setUp, tool } from './setup.mjs';

/** Files and folders whose tests only `npm run test:long` runs. */
export const LONG = [
  'bench/conformance/',
  'bench/drift/',
  'bench/hops/',
  'bench/torture/',
  'examples/sqlite-store/',
  'packages/agents/test/mcp.test.ts',
  'packages/cli/test/ask-flags.test.ts',
  'packages/cli/test/cassettes.test.ts',
  'packages/cli/test/changing.test.ts',
  'packages/cli/test/chat.test.ts',
  'packages/cli/test/conversations.test.ts',
  'packages/cli/test/imports.test.ts',
  'packages/cli/test/mistakes.test.ts',
  'packages/cli/test/move-project.test.ts',
  'packages/cli/test/plugin.test.ts',
  'packages/cli/test/record.test.ts',
  'packages/cli/test/replay-until.test.ts',
  'packages/cli/test/route.test.ts',
  'packages/cli/test/sync-guide.test.ts',
  'packages/cli/test/sync.test.ts',
  'packages/cli/test/upkeep.test.ts',
  'packages/cli/test/why.test.ts',
  'packages/core/test/faces/ten-turns.test.ts',
  'packages/core/test/loops/switching.test.ts',
  'packages/core/test/loops/ten-turns.test.ts',
  'packages/core/test/loops/twins.test.ts',
  'packages/core/test/matrix/compaction.test.ts',
  'packages/forest/src/store/file/power-loss.test.ts',
  'packages/forest/src/sync/packs/git-packs.test.ts',
  'packages/forest/test/crash/forest-kill.test.ts',
  'packages/forest/test/postgres/facts.test.ts',
  'packages/forest/test/record-facts-long.test.ts',
  'packages/forest/test/record-simulation.test.ts',
  'packages/web/test/access.test.ts',
  'packages/web/test/by-keys.test.ts',
  'packages/web/test/cassettes.test.ts',
  'packages/web/test/comparing.test.ts',
  'packages/web/test/details.test.ts',
  'packages/web/test/drafts.test.ts',
  'packages/web/test/forest.test.ts',
  'packages/web/test/live.test.ts',
  'packages/web/test/looking.test.ts',
  'packages/web/test/moving.test.ts',
  'packages/web/test/outage.test.ts',
  'packages/web/test/palette.test.ts',
  'packages/web/test/reading.test.ts',
  'packages/web/test/scrolling.test.ts',
  'packages/web/test/threads.test.ts',
  'packages/web/test/touch.test.ts',
  'packages/web/test/walking.test.ts',
  'packages/web/test/writing.test.ts',
  'scripts/docs-types.test.ts',
  'scripts/guides.test.ts',
  'scripts/kinds-of-block.test.ts',
  'scripts/pack.test.ts',
];

/** Tests that `npm test` runs with a share of their cases, and `npm run test:long` with all of them (test-shares.ts). */
const SHARED_CASES = [
  'packages/agents/test/any-file.test.ts',
  'packages/core/src/dialects/delta-run.test.ts',
  'packages/core/test/faces/edited-state.test.ts',
  'packages/core/test/matrix/matrix.test.ts',
  'packages/core/test/matrix/random.test.ts',
  'packages/core/test/properties/',
  'packages/core/test/serve/cut-anywhere.test.ts',
  'packages/core/test/serve/read-back.test.ts',
  'packages/forest/test/record-orders.test.ts',
  'packages/server/test/every-route.test.ts',
];

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  process.env.SKEIN_LONG = 'true';
  const done = setUp() && build({ types: true }) && tool('vitest', ['run', ...LONG, ...SHARED_CASES]);
  process.exitCode = done ? 0 : 1;
}
