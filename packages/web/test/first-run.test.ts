/** The real program, in an empty home, without a key. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, test } from 'vitest';
import { inChromium, openPage } from './kit.ts';

const program = fileURLToPath(new URL('../../cli/dist/skein.js', import.meta.url));
let running: ChildProcess | undefined;
let home: string | undefined;

afterEach(async () => {
  if (running?.exitCode === null) {
    running.kill('SIGINT');
    await once(running, 'exit');
  }
  if (home !== undefined) await rm(home, { recursive: true, force: true });
});

// Behind the hook above, so that pages are closed before their server.
inChromium();

test('a first run shows what Skein is, a sample to look at, and that the answers are a demo', async () => {
  home = await mkdtemp(join(tmpdir(), 'skein-home-'));
  running = spawn(process.execPath, [program, '--port', '0', '--no-open'], {
    cwd: home,
    env: { PATH: process.env.PATH, HOME: home },
  });
  const url = await new Promise<string>((resolve, reject) => {
    let said = '';
    running!.stdout!.on('data', (bytes: Buffer) => {
      said += bytes;
      const found = /page\s+(http:\/\/\S+)\s/.exec(said)?.[1];
      if (found !== undefined) resolve(found);
    });
    running!.once('exit', () => reject(new Error(`skein ended: ${said}`)));
  });
  const page = await openPage(url, { isNew: true });
  const welcome = page.getByRole('region', { name: 'Welcome' });
  await welcome.getByText(/ANTHROPIC_API_KEY/).waitFor();
  await page.getByRole('button', { name: /Demo/ }).first().waitFor();
  await page.getByText('No conversations yet').first().waitFor();
  await welcome.getByRole('link', { name: 'Open the samples' }).click();
  await page.waitForURL(/\/samples$/);
  const samples = page.getByRole('region', { name: 'Conversations' });
  await samples.getByRole('button', { name: /A reading week in Lisbon/ }).click();
  await samples.getByRole('link', { name: /A reading week in Lisbon/ }).click();
  await page.waitForURL(/\/samples\/t\//);
  await page.getByRole('article', { name: 'assistant message' }).first().waitFor();
  await page.getByRole('textbox', { name: 'Message' }).fill('And you are?');
  await page.keyboard.press('Control+Enter');
  await page.getByRole('article', { name: 'assistant message' }).getByText(/demo/i).first().waitFor();
  await page.getByRole('link', { name: 'Samples: back to yours' }).click();
  await page.getByText('No conversations yet').first().waitFor();
  await page.getByRole('button', { name: 'Close the welcome' }).click();
  await page.reload();
  await page.getByText('No conversations yet').first().waitFor();
  expect(await welcome.count()).toBe(0);
});
