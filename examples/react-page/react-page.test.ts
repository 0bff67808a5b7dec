import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadConfig } from '@skein/agents';
import { tool } from '@skein/core';
import { says, startEmulator } from '@skein/emulator';
import { createForest, memoryStore } from '@skein/forest';
import { chatRoute } from '@skein/forest/ai-sdk';
import { createServer } from '@skein/server';
import { build } from 'esbuild';
import type { Page } from 'playwright-core';
import { expect, onTestFinished, test } from 'vitest';
import { project } from '../../scripts/installed-packages.ts';
import { root } from '../../scripts/setup.mjs';
import { launchChromium } from '../../scripts/test-chromium.ts';
import { serve } from '../chat-page/server.mjs';

const MODEL = 'anthropic/claude-opus-5-5';
const PROTOCOL = 'anthropic-messages';

const calls = (name: string) => ({
  blocks: [
    { type: 'text' as const, text: 'One moment.' },
    { type: 'tool-use' as const, name, input: {} },
  ],
});

/** Tools of the test: one that needs approval, and one that waits until it is released or told to stop. */
function testTools() {
  const state = { aborted: false, release: () => {} };
  const wait = tool({
    name: 'wait',
    execute: (_input, { signal }) =>
      new Promise<string>((resolve) => {
        state.release = () => resolve('waited');
        signal.addEventListener('abort', () => {
          state.aborted = true;
          resolve('stopped');
        });
      }),
  });
  return { state, tools: [wait, tool({ name: 'drop', needsApproval: true, execute: () => 'dropped' })] };
}

async function bundlePage(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [join(project, 'examples/react-page/page.mjs')],
    nodePaths: [join(root, 'node_modules')],
    ...{ bundle: true, write: false, format: 'esm', logLevel: 'silent' },
    define: { 'process.env.NODE_ENV': '"development"' },
  });
  return outputFiles[0]!.text;
}

const status = (page: Page, text: string) => page.waitForSelector(`output:text-is("${text}")`);
const shown = (page: Page, text: string) => page.waitForSelector(`p:has-text(${JSON.stringify(text)})`);
const texts = (page: Page) => page.locator('p').allTextContents();
const press = (page: Page, label: string) => page.getByRole('button', { name: label, exact: true }).last().click();
async function send(page: Page, text: string): Promise<void> {
  await page.getByLabel('Message').fill(text);
  await press(page, 'Send');
}

test('useConversation in a browser: streaming, branches, approvals, a reload during an answer, stop; over the API and over a route', async () => {
  const emulator = await startEmulator({ seed: 'test', sleep: async () => {} });
  onTestFinished(() => emulator.close());
  const forest = createForest(memoryStore());
  const { state, tools } = testTools();
  const program = await bundlePage();
  const folder = mkdtempSync(join(tmpdir(), 'react-page-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, 'page.js'), program);
  const html = '<!doctype html><body><div id="root"></div><script type="module" src="/page.js"></script></body>';
  writeFileSync(join(folder, 'index.html'), html);
  const { config } = await loadConfig({ cwd: '/', env: {}, home: '/nonexistent' });
  const env = emulator.env();
  const server = await createServer({ forest, config, env, tools, page: folder }).listen({ port: 0 });
  onTestFinished(() => server.close());
  const own = await serve(chatRoute(forest, { model: MODEL, env, tools }), program);
  onTestFinished(own.close);
  const browser = await launchChromium();
  onTestFinished(() => browser.close());
  const page = await browser.newPage();
  const errors: string[] = [];
  page.on('pageerror', ({ message }) => errors.push(message));

  // A new conversation, a second answer, and back to the first.
  await page.goto(server.url);
  emulator.script(PROTOCOL, [says('It is cold.'), says('Still cold.'), says('Warm.')]);
  await send(page, 'How is Oslo?');
  await shown(page, 'It is cold.');
  await status(page, 'ready');
  await press(page, 'Again');
  await shown(page, 'Still cold.');
  await page.waitForSelector('small:text-is("2 of 2")');
  await press(page, 'Previous');
  await shown(page, 'It is cold.');
  expect(await texts(page)).toEqual(['user: How is Oslo?', 'assistant: It is cold.']);
  // What is sent now continues the branch on screen.
  await send(page, 'And Rome?');
  await shown(page, 'Warm.');
  await status(page, 'ready');
  expect(await texts(page)).toHaveLength(4);
  await page.reload();
  await shown(page, 'Warm.');
  expect(await page.locator('small').allTextContents()).toEqual(['1 of 2']);

  for (const address of [server.url, `${own.url}/?route=/api/chat`]) {
    // Approvals: asked before a reload, given after it.
    await page.goto(address);
    emulator.script(PROTOCOL, [calls('drop'), says('Gone.')]);
    await send(page, 'Drop it');
    await status(page, 'waiting');
    await page.reload();
    await press(page, 'Approve');
    await shown(page, 'Gone.');
    await status(page, 'ready');
    expect((await texts(page)).join()).toContain('→ dropped');

    // A reload during an answer continues it; what arrived before is there.
    emulator.script(PROTOCOL, [calls('wait'), says('I waited.')]);
    await send(page, 'Wait');
    await shown(page, 'wait({})');
    await status(page, 'streaming');
    await page.reload();
    await shown(page, 'wait({})');
    await status(page, 'streaming');
    state.release();
    await shown(page, 'I waited.');
    await status(page, 'ready');

    // Stopping ends the work on the server.
    state.aborted = false;
    emulator.script(PROTOCOL, [calls('wait')]);
    await send(page, 'Wait again');
    await page.waitForSelector('article:last-of-type p:has-text("wait({})")');
    await expect.poll(() => page.locator('p:has-text("Wait again")').count()).toBe(1);
    await press(page, 'Stop');
    await expect.poll(() => state.aborted).toBe(true);
    await status(page, 'stopped');
  }
  expect(errors).toEqual([]);
  for (const { verdict, body } of emulator.log) expect(verdict.refusal, body.toString()).toBeUndefined();
});
