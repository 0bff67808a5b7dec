/** Runs the commands of README in an empty home, with the built packages. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openGuideWorld } from './guide-world.ts';
import { startPostgres } from './postgres.mjs';
import { root } from './setup.mjs';

const readme = readFileSync(join(root, 'README.md'), 'utf8');

const lines = [...readme.matchAll(/```sh\n(.*?)```/gs)]
  .flatMap(([, block = '']) => block.trim().split('\n'))
  .map((line) => line.replace(/\s+#.*$/, ''));

/** Commands of a clone, which cannot run in a test, and what covers them. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  'npm start': 'packages/cli/test/serve.test.ts, after the build',
  'npm test': 'this',
  'npm run pack': 'scripts/installing.mjs, in npm run test:long',
  'npm install --offline ../skein/packed/*.tgz': 'the same',
};

/** What a command must have printed, if that is more than nothing. */
const PRINTED: Readonly<Record<string, RegExp>> = {
  'npx skein record -- node my-app.mjs': /demo model/,
  'npx skein replay -- node my-app.mjs': /demo model/,
  'npx skein test -- npm test': /demo model/,
  'npx skein route anthropic/claude-opus-5-5 -- node my-app.mjs': /demo model/,
  'npx skein threads': /Hello/,
  'npx skein why all': /\S/,
  'npx skein import --agents': /1 conversation\b/,
  'npx skein threads --agent claude-code': /\S/,
  'npx skein handoff 0mhr --to codex': /codex resume/,
  'npx skein record -- claude "Fix the test"': /demo model/,
  'npx skein chat': /demo model/,
  'npx skein import conversations.json': /1 conversation\b/,
  'npx skein search yarn': /is yarn\?/,
  'npx skein tree': /What is a skein\?/,
};

test('the commands of README work as they are written, one after the other', async () => {
  const database = await startPostgres([]);
  onTestFinished(() => database.remove());
  const world = await openGuideWorld({ 'postgres://…': database.url });
  // npx finds the installed command, as it does in a project; here it is on the path.
  for (const line of lines.filter((one) => !(one in ELSEWHERE)))
    expect(await world.run(line.replace(/^npx /, '')), line).toMatch(PRINTED[line] ?? /(?:)/);
  await world.stop();
  for (const listed of [ELSEWHERE, PRINTED])
    expect(Object.keys(listed).filter((line) => !lines.includes(line))).toEqual([]);
}, 600_000);
