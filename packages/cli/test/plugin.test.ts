import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { command } from '../../../scripts/installed-packages.ts';
import { launchChromium } from '../../../scripts/test-chromium.ts';
import { skein } from './skein.ts';

const readGuide = (name: string) => readFileSync(new URL(`../../../docs/guides/${name}.md`, import.meta.url), 'utf8');
const KEY = { TOY_KEY: 'any' };

/** The plug-in of a guide as it is printed, with the part of the sample that the guide says to put into it. */
function pluginOf(name: string, part: RegExp): string {
  const guide = readGuide(name);
  const [, sample = ''] = /```[jt]s(?: run)?\n(.*?)```/s.exec(guide) ?? [];
  const [, block = ''] = /```text\n(.*?)```/s.exec(guide) ?? [];
  const [code] = part.exec(sample) ?? [];
  expect(code).toBeDefined();
  expect(block).toMatch(/^ *\/\/ … .* …$/m);
  return block.replace(/^ *\/\/ … .* …$/m, () => code!);
}

/** The dialect of the guide, and a provider that speaks it at another address. */
function dialectPlugin(baseUrl: string): string {
  const plugin = pluginOf('add-a-dialect', /^const unit .*?^const toy = defineDialect\(.*?^\}\);$/ms);
  expect(plugin).toContain("'https://toy.example'");
  return plugin.replace("'https://toy.example'", `'${baseUrl}'`);
}

/** The provider: it repeats the last message, as a stream for whoever accepts one. */
async function startToy(): Promise<Server> {
  const server = createServer(async (request, response) => {
    const { log } = JSON.parse(await text(request)) as { log: { say: string }[] };
    const said = `Echo: ${log.at(-1)?.say}`;
    if (request.headers['x-whole'] === undefined) {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      for (const word of said.split(/(?<= )/)) response.write(`event: say\ndata: ${word}\n\n`);
      response.end('event: end\ndata:\n\n');
    } else
      response.setHeader('content-type', 'application/json').end(`{"answer":{"by":"bot","say":"${said}","mood":0.90}}`);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

describe('a dialect that nothing but a line in the configuration brings', () => {
  let home: string;
  let toy: Server;
  let serve: ChildProcess;
  let url: string;

  beforeAll(async () => {
    home = mkdtempSync(join(tmpdir(), 'skein-plugin-'));
    toy = await startToy();
    writeFileSync(
      join(home, 'my-dialect.mjs'),
      dialectPlugin(`http://127.0.0.1:${(toy.address() as AddressInfo).port}`),
    );
    writeFileSync(join(home, 'skein.config.yaml'), 'model: toy/any\nplugins: [./my-dialect.mjs]\n');
    serve = spawn(process.execPath, [command, 'serve', '--port', '0', '--no-open', '--store', join(home, 'served')], {
      cwd: home,
      env: { PATH: process.env.PATH, HOME: home, ...KEY },
    });
    url = await new Promise((resolve) => {
      let printed = '';
      serve.stdout!.on('data', (bytes) => {
        printed += bytes;
        const [found] = /http:\/\/127\.0\.0\.1:\d+/.exec(printed) ?? [];
        if (found) resolve(found);
      });
    });
  });
  afterAll(async () => {
    serve.kill('SIGKILL');
    await once(serve, 'exit');
    toy.close();
    rmSync(home, { recursive: true, force: true });
  });

  const say = (log: readonly object[], headers: Record<string, string> = { 'x-whole': '1' }) =>
    fetch(`${url}/proxy/toy/talk`, { method: 'POST', headers, body: JSON.stringify({ log }) });
  // biome-ignore lint/suspicious/noExplicitAny: documents are looked at field by field
  const api = async (path: string): Promise<any> => (await fetch(`${url}/api/v1${path}`)).json();
  const me = (words: string) => ({ by: 'me', say: words });

  test('is asked by a command, and its answer is streamed', async () => {
    const { out, err, code } = await skein(home, ['ask', 'Hello'], '', KEY);
    expect(err).not.toContain('plug-in');
    expect([code, out]).toEqual([0, 'Echo: Hello\n']);
  });

  test('is asked by the server, which tells of the answer as it comes', async () => {
    const post = async (path: string, body: object) =>
      (
        await fetch(`${url}/api/v1${path}`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(body),
        })
      ).json();
    const messages = [{ role: 'user', content: [{ type: 'text', text: 'Good day' }] }];
    const thread = (await post('/threads', { messages })) as { id: string; head: string };
    const { id } = (await post('/generations', { thread: thread.id })) as { id: string };
    const events = await (await fetch(`${url}/api/v1/generations/${id}/events`)).text();
    expect(events).toContain('"text":"Echo: Good day"');
    expect(events).toContain('"status":"done"');
  });

  test('is recorded through the proxy as one conversation with its exact texts, and shown by the API', async () => {
    const first = await (await say([me('One')])).text();
    expect(first).toBe('{"answer":{"by":"bot","say":"Echo: One","mood":0.90}}');
    const history = [me('One'), { by: 'bot', say: 'Echo: One', mood: 0.9 }, me('Two')];
    expect(await (await say(history, {})).text()).toContain('data: Two');
    await expect
      .poll(async () => (await api('/recordings?order=newest')).items.map(({ landing }: never) => landing))
      .toMatchObject([{ state: 'landed' }, { state: 'landed' }]);
    const { items } = await api('/recordings?order=newest');
    expect(items[0]).toMatchObject({ dialect: 'toy', provider: 'toy', kind: 'generate' });
    const path = await api(`/nodes/${items[0].landing.node}/path`);
    expect(path.items.map(({ content }: never) => content)).toEqual(
      ['One', 'Echo: One', 'Two', 'Echo: Two'].map((words) => [{ type: 'text', text: words }]),
    );
    expect((await api('/dialects')).items).toContainEqual({ id: 'toy', title: 'The toy protocol' });
    expect((await api('/providers')).items).toContainEqual(expect.objectContaining({ id: 'toy', dialect: 'toy' }));
  });

  test('is shown by the page, which asks on in it', async () => {
    const { items } = await api('/recordings?order=newest');
    const browser = await launchChromium();
    onTestFinished(() => browser.close());
    const page = await browser.newPage();
    await page.goto(`${url}/t/${items[0].landing.thread}`);
    const said = (role: string, words: string) =>
      page.getByRole('article', { name: `${role} message` }).getByText(words, { exact: true });
    for (const words of ['One', 'Two']) {
      await said('user', words).waitFor();
      await said('assistant', `Echo: ${words}`).waitFor();
    }
    await page.getByRole('textbox', { name: 'Message' }).fill('Three');
    await page.keyboard.press('Control+Enter');
    // The protocol names no model, so the configured one answers.
    await said('assistant', 'Echo: Three').waitFor();
    const shown = () => api(`/nodes/${/[0-9a-f]{40}$/.exec(page.url())}`);
    await expect.poll(shown).toMatchObject({ dialect: 'toy', takes: [{ model: 'any' }] });
  });

  test('is replayed, and the proxy writes errors as the dialect does', async () => {
    const replay = { 'x-skein-mode': 'replay', 'x-whole': '1' };
    const again = await say([me('One')], replay);
    expect(again.headers.get('x-skein-replay')).toBe('hit');
    expect(await again.json()).toEqual({ answer: { by: 'bot', say: 'Echo: One', mood: 0.9 } });
    const missed = await say([me('Never said')], replay);
    expect(missed.status).toBe(404);
    expect(await missed.json()).toMatchObject({ oops: expect.stringContaining('No recording'), code: 'replay_miss' });
  });

  test('is exported, imported and shown by commands', async () => {
    const exported = await skein(home, ['export', '--format', 'messages', '--dialect', 'toy']);
    const [list] = exported.out.trim().split('\n');
    expect(JSON.parse(list!)).toEqual([me('Hello'), { by: 'bot', say: 'Echo: Hello' }]);
    writeFileSync(join(home, 'messages.json'), list!);
    const into = ['--store', join(home, 'imported')];
    const imported = await skein(home, [
      'import',
      'messages.json',
      '--format',
      'messages',
      '--dialect',
      'toy',
      ...into,
    ]);
    expect([imported.code, imported.err]).toEqual([0, '']);
    const [{ thread }] = (await skein(home, ['threads', '--json', ...into])).json().items;
    expect((await skein(home, ['show', thread.head, ...into])).out).toContain('Echo: Hello');
  });

  test('a provider that cannot be reached is an error in the form of its dialect', async () => {
    toy.close();
    toy.closeAllConnections();
    const refused = await say([me('Anyone?')]);
    expect(refused.status).toBe(502);
    expect(await refused.json()).toMatchObject({ oops: expect.stringContaining('could not reach toy') });
  });
});

test('an importer that a line in the configuration brings reads a file for skein import', async () => {
  const home = mkdtempSync(join(tmpdir(), 'skein-plugin-'));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  writeFileSync(
    join(home, 'help-desk.mjs'),
    pluginOf('add-an-importer', /^defineImporter\(.*?^\}\);$/ms).replace(': Ticket', ''),
  );
  writeFileSync(join(home, 'skein.config.yaml'), 'plugins: [./help-desk.mjs]\n');
  const [, chats = ''] = /^const source = '(.*)';$/m.exec(readGuide('add-an-importer')) ?? [];
  writeFileSync(join(home, 'chats.json'), chats);
  const { out, err } = await skein(home, ['import', 'chats.json']);
  expect(err).not.toContain('plug-in');
  expect(out + err).toContain('Ticket t-2 has no lines.');
  const { items } = (await skein(home, ['threads', '--json'])).json();
  expect(items.map(({ thread }: { thread: { title: string } }) => thread.title)).toEqual(['The lamp']);
  expect((await skein(home, ['show', items[0].thread.head])).out).toContain('Turn it on.');
});

test.each([
  [
    'is not there',
    'plugins: [./nowhere.mjs]\n',
    /skein\.config\.yaml:1:\d+: plugins\[0\]: .*nowhere\.mjs was not loaded: there is no such file/,
  ],
  [
    'is a folder',
    'model: a/b\nplugins:\n  - .\n',
    /skein\.config\.yaml:3:\d+: plugins\[0\]: .* was not loaded: it is not a file/,
  ],
  ['exports no function', 'plugins: [./empty.mjs]\n', /it has no function as its default export/],
  ['throws', 'plugins: [./throws.mjs]\n', /was not loaded: out of order\. Fix it/],
])('a plug-in that %s is a warning that names file and line', async (_what, config, warning) => {
  const home = mkdtempSync(join(tmpdir(), 'skein-plugin-'));
  writeFileSync(join(home, 'empty.mjs'), 'export const nothing = 0;\n');
  writeFileSync(join(home, 'throws.mjs'), "export default () => { throw new Error('out of order'); };\n");
  writeFileSync(join(home, 'skein.config.yaml'), config);
  const { err } = await skein(home, ['threads']);
  rmSync(home, { recursive: true, force: true });
  expect(err).toMatch(warning);
});
