import { join } from 'node:path';
import { HttpAgent } from '@ag-ui/client';
import { tool } from '@skein/core';
import { type Emulator, says, startEmulator } from '@skein/emulator';
import { createForest, type Forest, memoryStore } from '@skein/forest';
import { agentRoute } from '@skein/forest/ag-ui';
import { type ChatRouteOptions, chatRoute } from '@skein/forest/ai-sdk';
import { build } from 'esbuild';
import type { Page } from 'playwright-core';
import { expect, onTestFinished, test } from 'vitest';
import { project } from '../../scripts/installed-packages.ts';
import { root } from '../../scripts/setup.mjs';
import { launchChromium } from '../../scripts/test-chromium.ts';
import { serve } from './server.mjs';

const MODEL = 'anthropic/claude-opus-5-5';
const PROTOCOL = 'anthropic-messages';

const calls = (name: string, input = {}) => ({
  blocks: [
    { type: 'text' as const, text: 'One moment.' },
    { type: 'tool-use' as const, name, input },
  ],
});

/** A tool that waits until the test lets it go on, and says whether it was told to stop. */
function waitingTool() {
  let release = () => {};
  const state = { aborted: false, release: () => release() };
  const wait = tool({
    name: 'wait',
    execute: (_input, { signal }) =>
      new Promise<string>((resolve) => {
        release = () => resolve('waited');
        signal.addEventListener('abort', () => {
          state.aborted = true;
          resolve('stopped');
        });
      }),
  });
  return { wait, state };
}

const weather = tool({
  name: 'get_weather',
  input: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  execute: ({ city }) => ({ city, celsius: 4 }),
});

async function start(): Promise<Emulator> {
  const emulator = await startEmulator({ seed: 'test', sleep: async () => {} });
  onTestFinished(() => emulator.close());
  return emulator;
}

/** Everything that was sent is what the real API takes. */
function expectAccepted({ log }: Emulator): void {
  for (const { verdict, body } of log) expect(verdict.refusal, body.toString()).toBeUndefined();
}

const shown = (page: Page, text: string) => page.waitForSelector(`p:has-text(${JSON.stringify(text)})`);
const ready = (page: Page) => page.waitForSelector('#status:text-is("ready")');
const act = (page: Page, call: string) => page.evaluate(`window.chat.${call}`);
const texts = (page: Page) => page.locator('p').allTextContents();
const words = async (forest: Forest, thread: string) =>
  (await forest.path((await forest.threads.get(thread)).head)).map(({ role, message }) => `${role}: ${message.text}`);

test('the AI SDK in a browser: tools, approvals, tools of the page, edits, a reload during an answer, and a stop that stops', async () => {
  const emulator = await start();
  const forest = createForest(memoryStore());
  const { wait, state } = waitingTool();
  const drop = tool({ name: 'drop', needsApproval: true, execute: () => 'dropped' });
  const options: ChatRouteOptions = {
    model: MODEL,
    env: emulator.env(),
    system: 'Be brief.',
    tools: [weather, wait, drop],
    clientTools: [{ name: 'get_place', parameters: { type: 'object', properties: {} } }],
  };
  const bundle = await build({
    entryPoints: [join(project, 'examples/chat-page/page.mjs')],
    nodePaths: [join(root, 'node_modules')],
    ...{ bundle: true, write: false, format: 'esm', logLevel: 'silent', external: ['@opentelemetry/api'] },
    define: { 'process.env.NODE_ENV': '"production"' },
    alias: { '@opentelemetry/api': 'data:text/javascript,' },
  });
  const { url, close } = await serve(chatRoute(forest, options), bundle.outputFiles[0]!.text);
  onTestFinished(close);
  const browser = await launchChromium();
  onTestFinished(() => browser.close());
  const page = await browser.newPage();
  const open = async (chat: string) => {
    await page.goto(`${url}/?chat=${chat}`);
    await page.waitForSelector('#status');
  };

  // A file, a tool on the server, another answer, an edit: all of it is one tree.
  await open('one');
  emulator.script(PROTOCOL, [
    calls('get_weather', { city: 'Oslo' }),
    says('It is cold.'),
    says('Still cold.'),
    says('Warm.'),
  ]);
  await act(page, 'send("How is Oslo?", true)');
  await shown(page, 'It is cold.');
  await ready(page);
  expect(await texts(page)).toEqual([
    'user: [image/png] | How is Oslo?',
    'assistant: One moment. | tool-get_weather(output-available {"city":"Oslo","celsius":4}) | It is cold.',
  ]);
  expect(emulator.log[0]!.body.toString()).toContain('iVBORw0KGgo=');
  expect(emulator.log[0]!.body.toString()).toContain('Be brief.');
  await act(page, 'regenerate()');
  await shown(page, 'Still cold.');
  await ready(page);
  await act(page, 'edit("How is Rome?")');
  await shown(page, 'Warm.');
  await ready(page);
  expect(await words(forest, 'one')).toEqual(['system: Be brief.', 'user: How is Rome?', 'assistant: Warm.']);
  const [system] = await forest.path((await forest.threads.get('one')).head);
  const questions = await forest.children(system!.id);
  expect(questions.items.map(({ message }) => message.text)).toEqual(['How is Oslo?', 'How is Rome?']);
  expect((await forest.children(questions.items[0]!.id)).items).toHaveLength(2);

  // What is loaded again is the same, and the conversation goes on from it.
  await open('one');
  await shown(page, 'Warm.');
  emulator.script(PROTOCOL, [calls('get_place'), says('You are in Oslo.')]);
  await act(page, 'send("Where am I?")');
  await shown(page, 'You are in Oslo.');
  await ready(page);
  expect((await texts(page)).at(-1)).toContain('tool-get_place(output-available {"city":"Oslo"})');
  expect(await words(forest, 'one')).toHaveLength(7);

  // Approvals: asked before a reload, given after it.
  await open('two');
  emulator.script(PROTOCOL, [calls('drop'), says('Gone.'), calls('drop'), says('Kept.')]);
  await act(page, 'send("Drop it")');
  await shown(page, 'tool-drop(approval-requested)');
  await ready(page);
  await open('two');
  await shown(page, 'tool-drop(approval-requested)');
  await act(page, 'decide(true)');
  await shown(page, 'tool-drop(output-available "dropped") | Gone.');
  await ready(page);
  await act(page, 'send("Drop it again")');
  await shown(page, 'tool-drop(approval-requested)');
  await ready(page);
  await act(page, 'decide(false)');
  await shown(page, 'Kept.');
  await ready(page);
  expect((await words(forest, 'two')).join()).toContain('The user refused.');

  // A reload during an answer: the stream goes on where it is, from the start of the message.
  await open('three');
  emulator.script(PROTOCOL, [calls('wait'), says('I waited.')]);
  await act(page, 'send("Wait")');
  await shown(page, 'One moment.');
  await open('three');
  await shown(page, 'One moment.');
  await page.waitForSelector('#status:text-is("streaming")');
  state.release();
  await shown(page, 'One moment. | tool-wait(output-available "waited") | I waited.');
  await ready(page);
  expect(await texts(page)).toHaveLength(2);
  expect((await fetch(`${url}/api/chat/three/stream`)).status).toBe(204);

  // Stopping ends the work on the server.
  await open('four');
  emulator.script(PROTOCOL, [calls('wait')]);
  await act(page, 'send("Wait")');
  await shown(page, 'One moment.');
  await page.waitForSelector('p:has-text("tool-wait")');
  await act(page, 'stop()');
  await expect.poll(() => state.aborted).toBe(true);
  await expect.poll(async () => (await fetch(`${url}/api/chat/four/stream`)).status).toBe(204);
  await ready(page);
  emulator.script(PROTOCOL, [says('Here I am.')]);
  await act(page, 'send("Are you there?")');
  await shown(page, 'Here I am.');
  expectAccepted(emulator);
});

test('the real AG-UI client: tools, its own tools, interrupts, and a second turn', async () => {
  const emulator = await start();
  const forest = createForest(memoryStore());
  const drop = tool({ name: 'drop', needsApproval: true, execute: () => 'dropped' });
  const route = agentRoute(forest, { model: MODEL, env: emulator.env(), tools: [weather, drop] });
  const { url, close } = await serve(route, '');
  onTestFinished(close);
  const agent = new HttpAgent({ url: `${url}/api/agent`, threadId: 't1' });
  const ask = (text: string) => agent.addMessage({ id: crypto.randomUUID(), role: 'user', content: text });
  emulator.script(PROTOCOL, [
    calls('get_weather', { city: 'Oslo' }),
    says('It is cold.'),
    calls('get_place'),
    says('In Oslo.'),
    calls('drop'),
    says('Gone.'),
  ]);
  ask('How is Oslo?');
  await agent.runAgent();
  expect(agent.messages.map(({ role, content }) => `${role}: ${content}`)).toEqual([
    'user: How is Oslo?',
    'assistant: One moment.',
    'tool: {"city":"Oslo","celsius":4}',
    'assistant: It is cold.',
  ]);
  const tools = [
    { name: 'get_place', description: 'Where the user is', parameters: { type: 'object', properties: {} } },
  ];
  ask('Where am I?');
  await agent.runAgent({ tools });
  const call = agent.messages.at(-1) as { toolCalls: { id: string }[] };
  agent.addMessage({ id: 'own', role: 'tool', toolCallId: call.toolCalls[0]!.id, content: 'Oslo' });
  await agent.runAgent({ tools });
  expect(agent.messages.at(-1)?.content).toBe('In Oslo.');
  ask('Drop it');
  let interrupt: { id: string } | undefined;
  await agent.runAgent(
    {},
    {
      onRunFinishedEvent: ({ event }) => {
        const { outcome } = event as { outcome?: { interrupts?: { id: string }[] } };
        [interrupt] = outcome?.interrupts ?? [];
      },
    },
  );
  await agent.runAgent({ resume: [{ interruptId: interrupt!.id, status: 'resolved', payload: { approved: true } }] });
  expect(agent.messages.at(-1)?.content).toBe('Gone.');
  expect(await words(forest, 't1')).toHaveLength(12);
  const stored = (await (await fetch(`${url}/api/agent/t1`)).json()) as { messages: unknown[] };
  expect(stored.messages).toHaveLength(12);
  expectAccepted(emulator);
});
