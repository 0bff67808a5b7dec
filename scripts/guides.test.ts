/** Runs the commands of guides in an empty home, with the built packages. Part of `npm run test:long`: each is a process. */
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { startEmulator } from '@skein/emulator';
import { expect, onTestFinished, test } from 'vitest';
import { root } from './setup.mjs';

const run = promisify(execFile);
const bin = join(root, 'node_modules', '.bin');

/** Commands that cannot run here, and why or where they are tried. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  'export ANTHROPIC_API_KEY=…': 'the emulator gives a key',
  'skein --no-open': 'packages/cli/test/serve.test.ts',
  'OPENAI_BASE_URL=http://127.0.0.1:4141/proxy/openai/v1 node my-app.mjs': 'the same',
  'skein watch': 'packages/cli/test/sessions.test.ts',
  'systemctl --user enable --now skein-watch': 'needs systemd',
  'skein record -- claude': 'bench/agents',
  'node --import @skein/testing/node --test': 'packages/testing',
};

const PROGRAM = `
const response = await fetch(process.env.OPENAI_BASE_URL + '/chat/completions', {
  method: 'POST',
  headers: { authorization: 'Bearer ' + process.env.OPENAI_API_KEY, 'content-type': 'application/json' },
  body: JSON.stringify({ model: 'gpt-5.5', messages: [{ role: 'user', content: 'Hello' }] }),
});
console.log((await response.json()).choices[0].message.content);
`;

test.each([
  'record-an-app',
  'if-you-know-llm',
  'never-lose-a-session',
  'openai-sdk-with-claude',
  'test-with-recordings',
])(
  'the commands of the guide %s work as they are written, one after the other',
  async (guide) => {
    const emulator = await startEmulator({ brain: 'demo', sleep: async () => {} });
    const home = mkdtempSync(join(tmpdir(), 'skein-guide-'));
    onTestFinished(async () => {
      await emulator.close();
      rmSync(home, { recursive: true, force: true });
    });
    const env = { ...emulator.env(), PATH: [bin, process.env.PATH].join(delimiter), HOME: home };
    for (const name of ['my-app.mjs', 'app.js']) writeFileSync(join(home, name), PROGRAM);
    writeFileSync(join(home, 'package.json'), '{"type":"module","scripts":{"test":"node my-app.mjs"}}');
    writeFileSync(join(home, 'notes.txt'), 'The yarn is red.');
    writeFileSync(join(home, 'photo.jpg'), Buffer.from('ffd8ffe000104a46494600010100000100010000ffd9', 'hex'));
    mkdirSync(join(home, '.config/systemd/user'), { recursive: true });
    const shell = async (line: string) => {
      const running = run('sh', ['-c', line], { cwd: home, env });
      running.child.stdin?.end();
      return (await running).stdout;
    };
    for (const line of readCommands(guide)) {
      if (line in ELSEWHERE) continue;
      expect(await shell(await withIds(line, shell)), line).toBeDefined();
    }
  },
  600_000,
);

/** The lines of a guide's shell samples, without their comments. */
function readCommands(guide: string): string[] {
  const text = readFileSync(join(root, 'docs/guides', `${guide}.md`), 'utf8');
  return [...text.matchAll(/```sh\n(.*?)```/gs)]
    .flatMap(([, block = '']) => block.trim().split('\n'))
    .map((line) => line.replace(/\s+#.*$/, ''));
}

/** The guides name a conversation 0mhr and a message 3f2a; here these are the newest ones. */
async function withIds(line: string, shell: (line: string) => Promise<string>): Promise<string> {
  if (!/\b(0mhr|3f2a)\b/.test(line)) return line;
  let { items } = JSON.parse(await shell('skein threads --all --json'));
  if (items.length === 0) {
    await shell('skein ask Hello');
    ({ items } = JSON.parse(await shell('skein threads --all --json')));
  }
  const [{ id, head }] = items;
  return line.replace('0mhr', id.slice(0, 8)).replace('3f2a', head.slice(0, 8));
}
