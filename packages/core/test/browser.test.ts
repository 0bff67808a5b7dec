import { builtinModules } from 'node:module';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { inWorker, openPage } from '../../../scripts/test-chromium.ts';

const packageFolder = fileURLToPath(new URL('..', import.meta.url));

/** A bundle of `code` with every statement of every module in it, or with `sideEffects: false` believed. */
async function bundle(code: string, { believe = false } = {}) {
  const result = await build({
    stdin: { contents: code, resolveDir: packageFolder },
    bundle: true,
    format: 'esm',
    platform: 'browser',
    ignoreAnnotations: !believe,
    // Left in place, so that the test can name them.
    external: ['node:*', ...builtinModules],
    write: false,
    metafile: true,
    logLevel: 'silent',
  });
  const [output] = Object.values(result.metafile.outputs);
  return { text: result.outputFiles[0]!.text, imports: output!.imports.map(({ path }) => path) };
}

describe('what a bundler makes of core', () => {
  test('the main entry imports nothing of Node', async () => {
    expect((await bundle(`export * from '@skein/core'`)).imports).toEqual([]);
  });

  test('the check above sees an import of Node', async () => {
    expect((await bundle(`import fs from 'node:fs'; import 'path'; fs.close(0)`)).imports).toEqual(['node:fs', 'path']);
  });

  test('an import that is not used leaves nothing in the bundle', async () => {
    expect((await bundle(`import '@skein/core'`, { believe: true })).text.replace(/^\/\/.*$/gm, '').trim()).toBe('');
  });
});

const reply = JSON.stringify({
  id: 'msg_01',
  type: 'message',
  role: 'assistant',
  model: 'claude-sonnet-4-5',
  content: [{ type: 'text', text: 'Grüße from a browser' }],
  stop_reason: 'end_turn',
  stop_sequence: null,
  usage: { input_tokens: 3, output_tokens: 5 },
});

// Runs in the page and in the worker, as text, because Node has no part in it.
const probe = `async () => {
  const shared = [globalThis, Object, Object.prototype, Array.prototype, String.prototype, Promise.prototype];
  const names = () => shared.map((one) => Reflect.ownKeys(one).map(String).sort());
  const before = names();
  const core = await import('/core.js');
  const after = names();
  const { message } = core.dialect('anthropic-messages').readResponse(${JSON.stringify(reply)});
  return { text: message.text, before, after };
}`;

interface Findings {
  text: string;
  before: string[][];
  after: string[][];
}

describe('core in Chromium', () => {
  let page: Page;
  let close: (() => Promise<void>) | undefined;

  beforeAll(async () => {
    ({ page, close } = await openPage({
      '/': ['text/html', '<!doctype html><title>core</title>'],
      '/core.js': ['text/javascript', (await bundle(`export * from '@skein/core'`)).text],
      '/worker.js': ['text/javascript', `(${probe})().then(postMessage)`],
    }));
  });

  afterAll(() => close?.());

  const places = { 'a page': `(${probe})()`, 'a worker': inWorker('/worker.js') };

  test.each(Object.entries(places))('reads a reply in %s, and changes no global', async (_, script) => {
    const { text, before, after } = await page.evaluate<Findings>(script);
    expect(text).toBe('Grüße from a browser');
    expect(after).toEqual(before);
  });
});
