/** Shared by tests that need a browser: opens a page with these files in Chromium. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Browser, chromium, type Page } from 'playwright-core';
import { findChromium, howToInstall } from './chromium.mjs';

export type Files = Readonly<Record<string, readonly [type: string, body: string]>>;

const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** Every failure says "Chromium did not start": `npm test` counts these as one. */
export async function launchChromium(): Promise<Browser> {
  const executablePath = findChromium();
  if (!executablePath) throw new Error(`Chromium did not start: ${howToInstall}`);
  try {
    return await chromium.launch({ executablePath, args: FLAGS });
  } catch (error) {
    throw new Error(`Chromium did not start: ${error instanceof Error ? error.message : error}`);
  }
}

/** Serves the files, by their paths, and opens `/`. */
export async function openPage(files: Files): Promise<{ page: Page; close(): Promise<void> }> {
  const server = createServer((request, response) => {
    const [type, body] = files[request.url ?? ''] ?? ['text/plain', ''];
    response.setHeader('content-type', `${type}; charset=utf-8`).end(body);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const browser = await launchChromium();
  const page = await browser.newPage();
  await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  return {
    page,
    async close() {
      await browser.close();
      server.close();
    },
  };
}

/** A program for the page that returns what a module worker posts. */
export const inWorker = (path: string) => `new Promise((resolve, reject) => {
  const worker = new Worker(${JSON.stringify(path)}, { type: 'module' });
  worker.onmessage = ({ data }) => resolve(data);
  worker.onerror = ({ message }) => reject(new Error(message));
})`;
