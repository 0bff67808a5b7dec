/** Real runs of vitest and of node:test, whose tests ask the emulator through OpenAI's SDK. */
import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { says, startEmulator } from '@skein/emulator';
import { expect, onTestFinished, test } from 'vitest';

const root = new URL('../../../', import.meta.url);
const at = (path: string) => new URL(path, root);

const BODY = `
async function ask(question) {
  const response = await fetch(process.env.OPENAI_BASE_URL + '/chat/completions', {
    method: 'POST',
    headers: { authorization: 'Bearer sk-x', 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'gpt-5.2', messages: [{ role: 'user', content: question }] }),
  });
  return (await response.json()).choices?.[0].message.content;
}
test('greets', async () => { if ((await ask('Hello')) !== 'Hello to you.') throw new Error('another answer'); });
test('says goodbye', async () => { await ask(process.env.QUESTION ?? 'Bye'); });
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
    const plugin = at(`packages/testing/dist/${runner}.js`).href;
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
    const head =
      runner === 'vitest'
        ? `import { test } from ${JSON.stringify(at('node_modules/vitest/dist/index.js').href)};`
        : `import test from 'node:test';`;
    writeFileSync(join(folder, 'chat.test.js'), head + BODY);
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
    emulator.script('openai-chat', [says('Hello to you.'), says('See you.')]);
    const env = { OPENAI_BASE_URL: emulator.baseUrl('openai-chat') };
    const recorded = await run(args, folder, { ...env, SKEIN_CASSETTES: 'record-missing' });
    await emulator.close();
    expect(recorded).toMatchObject({ code: 0 });
    const tapes = readdirSync(join(folder, '__cassettes__', 'chat.test.js'));
    expect(tapes).toHaveLength(2);
    expect(await run(args, folder, env)).toMatchObject({ code: 0 });
    const missed = await run(args, folder, { ...env, QUESTION: 'Something else' });
    expect(missed.code).toBe(1);
    expect(missed.text).toContain('asked for what no cassette answers');
  },
);
