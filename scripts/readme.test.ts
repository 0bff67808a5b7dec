/** Runs the commands of README in an empty home, with the built packages. */
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { startEmulator } from '@skein/emulator';
import { expect, test } from 'vitest';
import { project } from './installed-packages.ts';
import { root } from './setup.mjs';

const run = promisify(execFile);
const readme = readFileSync(join(root, 'README.md'), 'utf8');

const lines = [...readme.matchAll(/```sh\n(.*?)```/gs)]
  .flatMap(([, block = '']) => block.trim().split('\n'))
  .map((line) => line.replace(/\s+#.*$/, ''));

/** Commands that cannot run here, and the tests that cover them. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  'npm start': 'packages/cli/test/serve.test.ts, after the build',
  'npm test': 'this',
  'npm run pack': 'scripts/installing.mjs, in npm run test:long',
  'npm install --offline ../skein/packed/*.tgz': 'the same',
  'npx skein test -- npm test': 'packages/cli/test/record.test.ts',
  'npx skein rerun 3f2a --model openai/gpt-5.5': 'packages/cli/test/rerun.test.ts',
  'npx skein handoff 3f2a --to codex': 'packages/cli/test/sessions.test.ts',
  'npx skein watch': 'the same',
  'npx skein record -- claude "Fix the test"': 'bench/agents',
  'npx skein chat': 'packages/cli/test/chat.test.ts, in a terminal',
  'export DATABASE_URL=postgres://…': 'needs a database: packages/forest/test/postgres',
  'export SKEIN_TOKEN=$(openssl rand -hex 32)': 'the same',
  'npx skein --store postgres:DATABASE_URL --host 0.0.0.0 --no-open': 'the same',
};

const PROGRAM = `
const response = await fetch(process.env.OPENAI_BASE_URL + '/chat/completions', {
  method: 'POST',
  headers: { authorization: 'Bearer ' + process.env.OPENAI_API_KEY, 'content-type': 'application/json' },
  body: JSON.stringify({ model: 'gpt-5.5', messages: [{ role: 'user', content: 'Hello' }] }),
});
console.log((await response.json()).choices[0].message.content);
`;
const EXPORT = JSON.stringify([
  { uuid: 'c1', name: 'Yarn', chat_messages: [{ uuid: 'm1', sender: 'human', text: 'What is yarn?', content: [] }] },
]);

test('the commands of README work as they are written, one after the other', async () => {
  const emulator = await startEmulator();
  const home = mkdtempSync(join(tmpdir(), 'skein-readme-'));
  writeFileSync(join(home, 'my-app.mjs'), PROGRAM);
  writeFileSync(join(home, 'conversations.json'), EXPORT);
  symlinkSync(join(project, 'examples'), join(home, 'examples'));
  const bin = join(project, 'node_modules', '.bin');
  const env = {
    ...emulator.env(),
    PATH: [bin, dirname(process.execPath), process.env.PATH].join(delimiter),
    HOME: home,
  };
  const printed: Record<string, string> = {};
  try {
    for (const line of lines.filter((one) => !(one in ELSEWHERE))) {
      const [program = '', ...args] = [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, word]) => quoted ?? word!);
      const typed = program === 'npx' ? args : [program, ...args];
      const running = run(typed[0]!, typed.slice(1), { cwd: home, env });
      // Whoever asks a question pipes nothing into it.
      running.child.stdin?.end();
      const done = await running;
      printed[line] = done.stdout + done.stderr;
    }
  } finally {
    await emulator.close();
    rmSync(home, { recursive: true, force: true });
  }
  expect(printed['npx skein record -- node my-app.mjs']).toContain('Echo: Hello');
  expect(printed['npx skein replay -- node my-app.mjs']).toContain('Echo: Hello');
  expect(printed['npx skein route anthropic/claude-opus-5-5 -- node my-app.mjs']).toContain('Echo: Hello');
  expect(printed['npx skein threads']).toContain('Hello');
  expect(printed['npx skein why all']).toMatch(/\S/);
  expect(printed['npx skein import --agents']).toContain('No logs were found.');
  expect(printed['npx skein import conversations.json']).toMatch(/1 conversation\b/);
  expect(printed['npx skein search yarn']).toContain('is yarn?');
  expect(printed['npx skein tree']).toContain('What is a skein?');
  expect(Object.keys(ELSEWHERE).filter((line) => !lines.includes(line))).toEqual([]);
}, 180_000);
