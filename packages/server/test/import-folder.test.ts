import { mkdtempSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test, vi } from 'vitest';
import { startWorld } from './kit.ts';

// A place of its own, so that whatever is left there is ours.
vi.stubEnv('TMPDIR', mkdtempSync(join(tmpdir(), 'skein-test-')));
afterAll(() => void vi.unstubAllEnvs());

const node = (id: string, parent: string, children: readonly string[], message: object) =>
  JSON.stringify({
    id,
    root_id: 'root-1',
    parent_id: parent,
    child_ids: children,
    message,
    metadata: { timestamp: '2025-01-01T00:00:01.000Z', original_root_id: 'root-1', source_info: { type: 'user' } },
  });

const FILES: Readonly<Record<string, string>> = {
  'roots.json': JSON.stringify([
    { id: 'root-1', createdAt: '2025-01-01T00:00:00.000Z', config: {}, child_ids: ['root-1/node-1'] },
  ]),
  'root-1/nodes/node-1.json': node('root-1/node-1', 'root-1', ['root-1/node-2'], { role: 'user', content: 'Grüße 👋' }),
  'root-1/nodes/node-2.json': node('root-1/node-2', 'root-1/node-1', [], { role: 'assistant', content: 'Hello.' }),
};

/** As a browser sends a folder that was dropped. */
function formOf(files: Readonly<Record<string, string>>): FormData {
  const form = new FormData();
  for (const [path, text] of Object.entries(files)) form.append('files', new Blob([text]), path);
  return form;
}

const within = (top: string) => Object.fromEntries(Object.entries(FILES).map(([path, text]) => [top + path, text]));
const left = () => readdirSync(tmpdir()).filter((name) => name.startsWith('skein-import-'));

async function send(url: string, body: FormData | string, headers: Record<string, string> = {}) {
  const response = await fetch(`${url}/api/v1/import/folder`, { method: 'POST', body, headers });
  return { status: response.status, text: await response.text() };
}

test.each(['', 'my store/', 'Downloads/ünder/'])('a folder of the older layout comes in from "%s"', async (top) => {
  const { server, api } = await startWorld();
  const { status, text } = await send(server.url, formOf(within(top)));
  expect(status).toBe(200);
  const imported = JSON.parse(text);
  expect(imported).toMatchObject({ format: 'older', messages: 2, added: 2, problems: [] });
  const { body: thread } = await api('GET', `/threads/${imported.threads[0]}`);
  const { body } = await api('GET', `/nodes/${thread.head}/path`);
  expect(body.items.map(({ content }: { content: { text: string }[] }) => content[0]!.text)).toEqual([
    'Grüße 👋',
    'Hello.',
  ]);
  expect(JSON.parse((await send(server.url, formOf(within(top)))).text).added).toBe(0);
});

test('progress is told to whoever accepts events', async () => {
  const { server } = await startWorld();
  const { text } = await send(server.url, formOf(FILES), { accept: 'text/event-stream' });
  expect(text).toMatch(/event: done\ndata: .*"added":2/);
});

test('a body that comes byte by byte is read as the same', async () => {
  const { server } = await startWorld();
  const whole = new Response(formOf(FILES));
  const type = whole.headers.get('content-type')!;
  const bytes = new Uint8Array(await whole.arrayBuffer());
  let at = 0;
  const slow = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (at < bytes.length) controller.enqueue(bytes.slice(at, ++at));
      else controller.close();
    },
  });
  const response = await fetch(`${server.url}/api/v1/import/folder`, {
    method: 'POST',
    body: slow,
    headers: { 'content-type': type },
    duplex: 'half',
  } as RequestInit);
  expect(await response.json()).toMatchObject({ added: 2 });
});

test.each([
  '../roots.json',
  '/etc/roots.json',
  'a//roots.json',
  'a/./roots.json',
  'a/../../roots.json',
  'a\\..\\roots.json',
  'a\u0000/roots.json',
  `${'x'.repeat(300)}/roots.json`,
])('a file named %j is refused, and nothing is left behind', async (path) => {
  const { server, forest } = await startWorld();
  const { status, text } = await send(server.url, formOf({ ...FILES, [path]: '[]' }));
  expect({ status, code: JSON.parse(text).code }).toEqual({ status: 422, code: 'bad_path' });
  expect(left()).toEqual([]);
  expect((await forest.threads.list()).items).toEqual([]);
});

test('what is no such folder, or no form at all, is told', async () => {
  const { server } = await startWorld();
  const other = await send(server.url, formOf({ 'a/readme.md': 'Hi' }));
  expect(other.status).toBe(422);
  expect(JSON.parse(other.text)).toMatchObject({ code: 'unknown_format' });
  expect(other.text).not.toContain(tmpdir());
  expect((await send(server.url, '{}', { 'content-type': 'application/json' })).status).toBe(400);
  const cut = '--x\r\ncontent-disposition: form-data; name="f"; filename="roots.json"\r\n\r\n[';
  const broken = await send(server.url, cut, { 'content-type': 'multipart/form-data; boundary=x' });
  expect(JSON.parse(broken.text)).toMatchObject({ status: 400, code: 'bad_request' });
  expect(left()).toEqual([]);
});
