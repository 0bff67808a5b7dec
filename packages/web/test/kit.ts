/** What the tests in a browser share: a server on files, the emulator behind it, and Chromium in front of it. */
import { existsSync } from 'node:fs';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { loadConfig } from '@skein/agents';
import { assistant, tool, user } from '@skein/core';
import { type Emulator, says, startEmulator } from '@skein/emulator';
import { type Forest, openForest, recordFetch } from '@skein/forest';
import { createServer, type ListeningServer, type ServerOptions } from '@skein/server';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { launchChromium } from '../../../scripts/test-chromium.ts';

const pageFolder = fileURLToPath(new URL('../dist', import.meta.url));
const closing: (() => Promise<unknown>)[] = [];
let browser: Browser;

/** Call it once at the top of a test file. */
export function inChromium(): void {
  beforeAll(async () => {
    if (!existsSync(join(pageFolder, 'index.html')))
      throw new Error('The page is not built: run `npm test`, or `npx vite build` in packages/web.');
    browser = await launchChromium();
  });
  afterEach(async () => {
    // All of them, also behind one that fails.
    const ends = [];
    for (const close of closing.splice(0).reverse()) ends.push((await Promise.allSettled([close()]))[0]!);
    for (const end of ends) if (end.status === 'rejected') throw end.reason;
  });
  afterAll(() => browser?.close());
}

export interface App {
  readonly url: string;
  readonly emulator: Emulator;
  /** That of the server which was started last. */
  readonly forest: Forest;
  /** Streams with a `chunkDelay` wait for this before each piece. */
  readonly gate: Gate;
  /** Sets the emulator's clock forward: what it keeps for a while expires. */
  passTime(ms: number): void;
  /** A new page, in a browser of its own, that fails the test when it logs an error or a request of it fails. */
  open(path?: string, options?: OpenOptions): Promise<Page>;
  /** Ends the server. One that crashes leaves behind what is in its store at this moment. */
  stop(how?: { readonly crashes?: boolean }): Promise<void>;
  /** Starts it again at the same address. */
  start(): Promise<void>;
}

interface OpenOptions extends BrowserContextOptions {
  /** Show the welcome, which most tests have behind them. */
  readonly isNew?: boolean;
  /** What the test itself makes go wrong. */
  readonly troubles?: RegExp;
}

/** Lets a stream go on piece by piece. Anthropic's text begins with the third event behind the first. */
interface Gate {
  /** Lets everything through that waits, now and later. */
  open(): void;
  /** Holds what comes from now on. */
  shut(): void;
  /** Lets so many events of a stream through, behind its first, and holds the next. */
  pass(count: number): Promise<void>;
  /** Resolves when something waits. */
  reached(): Promise<void>;
}

export async function startApp(options: Partial<ServerOptions> = {}): Promise<App> {
  const gate = createGate();
  let ahead = 0;
  const emulator = await startEmulator({ seed: 'page', sleep: gate.sleep, now: () => Date.now() + ahead });
  closing.push(async () => {
    gate.open();
    await emulator.close();
  });
  let folder = await newFolder();
  const { config } = await loadConfig({ cwd: '/', env: {}, home: '/nonexistent' });
  const run = async (port: number): Promise<{ forest: Forest; listening: ListeningServer }> => {
    const forest = await openForest(folder);
    const server = createServer({
      forest,
      config,
      env: emulator.env(),
      generate: { random: () => 0 },
      model: 'anthropic/claude-sonnet-4-5',
      tools: [weather],
      page: pageFolder,
      ...options,
    });
    return { forest, listening: await server.listen({ port }) };
  };
  let running = await run(0);
  let isRunning = true;
  const stop: App['stop'] = async ({ crashes = false } = {}) => {
    if (!isRunning) return;
    isRunning = false;
    const left = crashes ? await newFolder() : folder;
    // Without the signs of life of a process that still runs.
    if (crashes) await cp(folder, left, { recursive: true, filter: (path) => basename(path) !== 'writers' });
    folder = left;
    await running.listening.close();
    await running.forest.close();
  };
  closing.push(() => stop());
  const url = running.listening.url.replace('127.0.0.1', 'localhost');
  return {
    url,
    emulator,
    get forest() {
      return running.forest;
    },
    gate,
    passTime: (ms) => {
      ahead += ms;
    },
    open: (path = '/', how = {}) => openPage(url + path, how),
    stop,
    async start() {
      running = await run(Number(new URL(url).port));
      isRunning = true;
    },
  };
}

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'skein-page-'));
  closing.push(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** Asks before it runs. */
const weather = tool({
  name: 'get_weather',
  description: 'The weather in a city',
  input: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  needsApproval: true,
  execute: ({ city }) => `It is 19 °C in ${city}.`,
});

export async function openPage(
  url: string,
  { isNew = false, troubles: wanted, ...context }: OpenOptions,
): Promise<Page> {
  const opened = await browser.newContext({ viewport: { width: 1400, height: 900 }, ...context });
  if (!isNew) {
    const view = JSON.stringify({ state: { welcomed: true }, version: 1 });
    await opened.addInitScript(`localStorage.getItem('skein.view') ?? localStorage.setItem('skein.view', '${view}')`);
  }
  const page = await opened.newPage();
  page.setDefaultTimeout(60_000);
  const troubles: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') troubles.push(`console: ${message.text()}`);
  });
  page.on('pageerror', (error) => troubles.push(`error: ${error.message}`));
  page.on('response', (response) => {
    if (response.status() >= 400) troubles.push(`${response.status()} ${response.url()}`);
  });
  page.on('requestfailed', (request) => {
    const why = request.failure()?.errorText ?? '';
    // Streams end when the page leaves.
    if (why !== 'net::ERR_ABORTED') troubles.push(`${why} ${request.url()}`);
  });
  closing.push(async () => {
    await opened.close();
    const others = troubles.filter((trouble) => !wanted?.test(trouble));
    expect(others, 'what went wrong in the page').toEqual([]);
  });
  await page.goto(url);
  return page;
}

function createGate(): Gate & { sleep(ms: number): Promise<void> } {
  let isOpen = true;
  let waiting: (() => void)[] = [];
  const onReached: (() => void)[] = [];
  const reached = () =>
    waiting.length > 0 ? Promise.resolve() : new Promise<void>((resolve) => onReached.push(resolve));
  return {
    sleep: () =>
      new Promise((resolve) => {
        if (isOpen) return resolve();
        waiting.push(resolve);
        for (const tell of onReached.splice(0)) tell();
      }),
    open() {
      isOpen = true;
      for (const go of waiting.splice(0)) go();
    },
    async pass(count) {
      for (let left = count; left > 0; left--) {
        await reached();
        waiting.shift()!();
      }
    },
    shut() {
      isOpen = false;
      waiting = [];
    },
    reached,
  };
}

interface Call {
  readonly session?: string;
  /** What of the API in beta it uses. */
  readonly beta?: string;
  readonly [field: string]: unknown;
}

/** A program that talks to Anthropic and is recorded in the forest of the page. */
export function program({ forest, emulator }: App) {
  const fetch = recordFetch(forest);
  const { ANTHROPIC_BASE_URL, ANTHROPIC_API_KEY } = emulator.env();
  return async ({ session, beta, ...body }: Call, answer: Parameters<App['emulator']['script']>[1]) => {
    emulator.script('anthropic-messages', answer);
    const response = await fetch(`${ANTHROPIC_BASE_URL}/v1/messages`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-api-key': ANTHROPIC_API_KEY!,
        'anthropic-version': '2023-06-01',
        ...(session && { 'x-claude-code-session-id': session }),
        ...(beta && { 'anthropic-beta': beta }),
      },
      body: JSON.stringify({ model: 'claude-sonnet-4-5', max_tokens: 99, ...body }),
    });
    const { id, content } = (await response.json()) as { id: string; content: unknown };
    await fetch.settled();
    return { id, content };
  };
}

export const composer = (page: Page) => page.getByRole('textbox', { name: 'Message' });
export const messages = (page: Page, role: string) => page.getByRole('article', { name: `${role} message` });

/** Opens a screen by its two keys. Neither press waits for the other: the second key of two has to come soon. */
export async function openScreen(page: Page, letter: string): Promise<void> {
  await page.getByRole('main').waitFor();
  await Promise.all([page.keyboard.press('o'), page.keyboard.press(letter)]);
}

/** Writes a message and sends it. */
export async function send(page: Page, text: string): Promise<void> {
  await composer(page).fill(text);
  await page.keyboard.press('Control+Enter');
}

/** An agent, as the option of the server that lists them. */
export const poet = {
  agents: async () => [
    {
      id: 'poet',
      name: 'Poet',
      description: 'Writes verse.',
      model: { provider: { id: 'anthropic' }, model: 'claude-sonnet-4-5' },
      toolNames: [],
      options: async () => ({ options: { model: {}, params: {}, tools: [] }, problems: [] }),
    },
  ],
} as object;

/** A question with two answers, each the end of a conversation. */
export async function twoConversations({ forest }: App): Promise<{ readonly thread: string }> {
  const first = await forest.threads.begin([user('Which yarn?'), assistant('Take wool.')], { title: 'Wool' });
  const [question] = await forest.path(first.head);
  const linen = await forest.append(question!.id, [assistant('Take linen.')]);
  await forest.threads.create({ head: linen, title: 'Linen' });
  return { thread: first.id };
}

/** A question with an answer, and one more answer that waits for the approval of a call and has its last words ready. */
export async function askForApproval({ url, emulator, forest }: App) {
  const { id, head } = await forest.threads.begin([user('Porto?')]);
  const other = await forest.append(head, [assistant('Rain.')]);
  emulator.script('anthropic-messages', [
    { blocks: [{ type: 'tool-use', name: 'get_weather', input: { city: 'Porto' } }] },
    says('Nineteen degrees.'),
  ]);
  const asked = await fetch(`${url}/api/v1/generations`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ node: head, thread: id, tools: ['get_weather'] }),
  });
  return { thread: id, other, generation: ((await asked.json()) as { id: string }).id };
}
