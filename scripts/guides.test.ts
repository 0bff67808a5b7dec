/** Runs the commands of every guide in an empty home, with the built packages. Part of `npm run test:long`: each is a process. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openGuideWorld } from './guide-world.ts';
import { startPostgres } from './postgres.mjs';
import { root } from './setup.mjs';

/** Commands that do not run here: the reason, or the test that runs them. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  'export ANTHROPIC_API_KEY=…': 'the emulator gives a key',
  'export OPENAI_API_KEY=…': 'the same',
  'node --import @skein/testing/node --test': 'packages/testing/test/plugins.test.ts',
  'docker compose up': 'needs Docker; scripts/installing.mjs runs the steps of the Dockerfile',
  'docker build -t skein .': 'the same',
  'docker run -p 127.0.0.1:4141:4141 -v skein-data:/data -e SKEIN_TOKEN -e ANTHROPIC_API_KEY skein': 'the same',
  'npm run binary': 'scripts/installing.mjs',
  './binary/skein --version': 'the same',
  'npm run pack': 'the same',
  'npm install --offline packed/*.tgz': 'the same',
};
/** A guide that needs other machines. */
const OTHER_TESTS: Readonly<Record<string, string>> = { 'sync-two-machines': 'packages/cli/test/sync-guide.test.ts' };

/** What a command must have printed, if that is more than nothing. */
const PRINTED: readonly (readonly [command: RegExp, output: RegExp])[] = [
  [/^skein (route|record|replay|test) .*-- (claude|codex|node)/, /demo/i],
  [/^(claude|OPENAI_BASE_URL=.*)$/, /demo|Echo/i],
  [/^skein threads$/, /\w{4}/],
  [/^skein handoff/, /codex resume/],
  [/skein chat/, /demo/i],
  [/^skein doctor/, /Claude Code: claude-opus-5-5 → openai\/gpt-5\.5/],
];

const guides = readdirSync(join(root, 'docs/guides')).map((name) => name.replace(/\.md$/, ''));
const withCommands = guides.filter((guide) => readSteps(guide).some(({ kind }) => kind === 'command'));

test.each(withCommands.filter((guide) => !(guide in OTHER_TESTS)))(
  'the commands of the guide %s work as they are written, one after the other',
  async (guide) => {
    const steps = readSteps(guide);
    const addresses = new Set(steps.flatMap(({ text }) => text.match(/postgres:\/\/\S+/g) ?? []));
    const world = await openGuideWorld(await openDatabases(addresses));
    for (const { kind, text } of steps) {
      if (text in ELSEWHERE) continue;
      if (kind === 'config') world.writeConfig(text);
      else {
        const [, pattern = /(?:)/] = PRINTED.find(([command]) => command.test(text)) ?? [];
        expect(await world.run(text), text).toMatch(pattern);
      }
    }
    await world.stop();
  },
  600_000,
);

test('what is listed as run elsewhere is in a guide', () => {
  const all = guides.flatMap((guide) => readSteps(guide).map(({ text }) => text));
  expect(Object.keys(ELSEWHERE).filter((line) => !all.includes(line))).toEqual([]);
  expect(Object.keys(OTHER_TESTS).filter((guide) => !withCommands.includes(guide))).toEqual([]);
});

interface Step {
  readonly kind: 'command' | 'config';
  readonly text: string;
}

/** The lines of a guide's shell samples without their comments, and what it writes into a configuration, in their order. */
function readSteps(guide: string): Step[] {
  const text = readFileSync(join(root, 'docs/guides', `${guide}.md`), 'utf8');
  return [...text.matchAll(/```(?:(sh)|yaml\n# skein\.config\.yaml)\n(.*?)```/gs)].flatMap(
    ([, isShell, block = '']): Step[] =>
      isShell
        ? block
            .trim()
            .split('\n')
            .map((line) => ({ kind: 'command', text: line.replace(/\s+#.*$/, '') }))
        : [{ kind: 'config', text: block }],
  );
}

/** A database for each address. */
async function openDatabases(addresses: ReadonlySet<string>): Promise<Record<string, string>> {
  const opened: Record<string, string> = {};
  for (const address of addresses) {
    const server = await startPostgres([]);
    onTestFinished(() => server.remove());
    opened[address] = server.url;
  }
  return opened;
}
