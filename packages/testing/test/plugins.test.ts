/** Real runs of vitest and of node:test, whose tests ask the emulator through OpenAI's SDK. */
import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { says, startEmulator } from '@skein/emulator';
import { expect, onTestFinished, test } from 'vitest';
import { findEntry } from '../../../scripts/installed-packages.ts';

const root = new URL('../../../', import.meta.url);
const at = (path: string) => new URL(path, root);

const BODY = `
async function ask(question) {
  const openai = new OpenAI({ apiKey: 'sk-x', maxRetries: 0 });
  const { choices } = await openai.chat.completions.create({ model: 'gpt-5.2', messages: [{ role: 'user', content: question }] });
  return choices[0].message.content;
}
test('greets', async () => { if ((await ask('Hello')) !== 'Hello to you.') throw new Error('another answer'); });
test('says goodbye', async () => { await ask(process.env.QUESTION ?? 'Bye').catch(() => 'The program goes on.'); });
`;

/** Both wait for each other before they ask, so they run at the same time. */
const TOGETHER = `
let arrived = 0;
let open;
const both = new Promise((resolve) => { open = resolve; });
async function meet(question) {
  arrived += 1;
  if (arrived === 2) open();
  await both;
  return ask(question);
}
`;

function run(
  args: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>>,
): Promise<{ code: number; text: string }> {
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      args,
      { cwd, env: { PATH: process.env.PATH ?? '', HOME: cwd, ...env } },
      (error, out, err) => resolve({ code: error ? 1 : 0, text: out + err }),
    );
  });
}

test.each(['vitest', 'node'] as const)(
  '%s: each test has its cassette, a miss fails it, and no source is changed',
  async (runner) => {
    const folder = mkdtempSync(join(tmpdir(), 'skein-testing-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const plugin = pathToFileURL(findEntry(`@skein/testing/${runner}`)).href;
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
    const head =
      runner === 'vitest'
        ? `import { test } from ${JSON.stringify(at('node_modules/vitest/dist/index.js').href)};`
        : `import test from 'node:test';`;
    const sdk = `import OpenAI from ${JSON.stringify(at('node_modules/openai/index.mjs').href)};`;
    const together =
      runner === 'vitest'
        ? `for (const name of ['one', 'two']) test.concurrent(name, async () => { if ((await meet(name)) !== 'Together.') throw new Error('another answer'); });`
        : `if (process.env.TOGETHER) test.describe('together', { concurrency: true }, () => { for (const name of ['one', 'two']) test.it(name, () => meet(name).catch(() => 0)); });`;
    writeFileSync(join(folder, 'chat.test.js'), head + sdk + BODY + TOGETHER + together);
    const config = join(folder, 'vitest.config.js');
    writeFileSync(
      config,
      `export default { test: { setupFiles: [${JSON.stringify(new URL(plugin).pathname)}], server: { deps: { external: [/testing/] } } } };`,
    );
    const args =
      runner === 'vitest'
        ? [at('node_modules/vitest/vitest.mjs').pathname, 'run', '--root', folder, '--config', config]
        : ['--import', plugin, '--test', pathToFileURL(join(folder, 'chat.test.js')).pathname];
    const emulator = await startEmulator();
    emulator.script('openai-chat', [says('Hello to you.'), says('See you.'), says('Together.'), says('Together.')]);
    const env = { OPENAI_BASE_URL: emulator.baseUrl('openai-chat') };
    const recorded = await run(args, folder, { ...env, SKEIN_CASSETTES: 'record-missing' });
    await emulator.close();
    expect(recorded).toMatchObject({ code: 0 });
    const tapes = readdirSync(join(folder, '__cassettes__', 'chat.test.js'));
    expect(tapes).toHaveLength(runner === 'vitest' ? 4 : 2);
    expect(await run(args, folder, env)).toMatchObject({ code: 0 });
    const missed = await run(args, folder, { ...env, QUESTION: 'Something else' });
    expect(missed.code).toBe(1);
    expect(missed.text).toContain('asked for what no cassette answers');
    // What cannot be told apart is not answered from the cassettes of another test.
    if (runner === 'node')
      expect((await run(args, folder, { ...env, TOGETHER: '1' })).text).toContain(
        'it is not known whose cassettes answer',
      );
  },
);
