import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { command } from '../../../scripts/installed-packages.ts';
import { closeTerminals, openTerminal } from './terminal.ts';

const listener = createServer();
const running: ChildProcess[] = [];
const homes: string[] = [];

afterEach(async () => {
  listener.close();
  await closeTerminals();
  for (const child of running.splice(0)) {
    child.kill('SIGKILL');
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  }
  for (const home of homes.splice(0)) rmSync(home, { recursive: true, force: true });
});

test('skein alone serves the default forest, in demo mode without keys, and keeps it for the next start', async () => {
  const home = mkdtempSync(join(tmpdir(), 'skein-home-'));
  homes.push(home);
  const first = await start(home);
  expect(first.printed).toContain('DEMO');
  expect(first.printed).toContain('/proxy/anthropic');
  // Samples are elsewhere: the forest of a person has only what they wrote.
  expect((await api(first.url, 'GET', '/threads')).body.items).toEqual([]);
  expect((await fetch(`${first.url}/samples/api/v1/threads`)).status).toBe(200);
  const { body: node } = await api(first.url, 'POST', '/nodes/root/messages', {
    messages: [{ role: 'user', content: [{ type: 'text', text: 'Hello' }] }],
  });
  const { status, body: generation } = await api(first.url, 'POST', '/generations', { node: node.id });
  expect(status).toBe(202);
  const events = await (await fetch(`${first.url}/api/v1/generations/${generation.id}/events`)).text();
  expect(events).toContain('"status":"done"');
  expect((await api(first.url, 'GET', '/version')).body).toMatchObject({ demo: true, api: 'v1' });
  first.child.kill('SIGINT');
  const [code] = await once(first.child, 'exit');
  expect(code).toBe(0);

  const second = await start(home);
  const children = await api(second.url, 'GET', `/nodes/${node.id}/children`);
  expect(children.body.items).toMatchObject([{ role: 'assistant' }]);
});

test('recordings that wait for another address of a store are named at the start', async () => {
  const home = mkdtempSync(join(tmpdir(), 'skein-home-'));
  homes.push(home);
  const folder = join(home, '.local/share/skein/waiting/default-0123456789ab');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'p1.1.jsonl'), '');
  const { child } = await start(home);
  let told = '';
  child.stderr!.on('data', (chunk) => {
    told += chunk;
  });
  await expect.poll(() => told).toContain(`Recordings wait in ${folder}`);
});

test('a model that needs no key is asked for real, and nothing is said of a demo', async () => {
  const home = mkdtempSync(join(tmpdir(), 'skein-home-'));
  homes.push(home);
  const { url, printed } = await start(home, ['--model', 'ollama/llama3'], /keys +none/);
  expect(printed).not.toContain('DEMO');
  expect(printed).toContain('ollama needs none');
  expect((await api(url, 'GET', '/version')).body).toMatchObject({ demo: false });
});

test('skein alone opens the page where a person sits at a screen', async () => {
  const home = mkdtempSync(join(tmpdir(), 'skein-home-'));
  homes.push(home);
  const opened = new Promise<string>((resolve) => {
    listener.once('request', ({ url = '' }, response) => {
      response.end();
      resolve(decodeURIComponent(url.slice(1)));
    });
  });
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  const { port } = listener.address() as AddressInfo;
  const opener = `#!${process.execPath}\nfetch('http://127.0.0.1:${port}/' + encodeURIComponent(process.argv[2]));\n`;
  writeFileSync(join(home, 'xdg-open'), opener, { mode: 0o755 });
  const env = { PATH: `${home}:${process.env.PATH}`, DISPLAY: ':0' };
  const terminal = openTerminal(home, ['--port', '0'], env);
  const [, page] = /page +(\S+)/.exec(await terminal.see(/start again/)) ?? [];
  expect(page).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/$/);
  if (process.platform === 'linux') expect(await opened).toBe(page);
  terminal.type('\x03');
  expect(await terminal.ended).toBe(0);
});

async function start(home: string, flags: readonly string[] = [], until = /DEMO[\s\S]*start again/) {
  const env = { PATH: process.env.PATH, HOME: home, NO_COLOR: '1' };
  const child = spawn(process.execPath, [command, '--port', '0', ...flags], { env, cwd: home });
  running.push(child);
  let printed = '';
  for await (const chunk of child.stdout) {
    printed += chunk;
    if (until.test(printed)) break;
  }
  const url = /API +(http:\/\/[^/]+)/.exec(printed)?.[1];
  if (url === undefined) throw new Error(`No address in: ${printed}`);
  return { child, url, printed };
}

async function api(url: string, method: string, path: string, body?: unknown) {
  const response = await fetch(`${url}/api/v1${path}`, {
    method,
    headers: { 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  // biome-ignore lint/suspicious/noExplicitAny: bodies are looked at by the tests, field by field
  return { status: response.status, body: (await response.json()) as any };
}
