import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { user } from '@skein/core';
import { says } from '@skein/emulator';
import { createForest, type Forest, memoryStore, openOlder, ROOT } from '@skein/forest';
import { describe, expect, onTestFinished, test } from 'vitest';
import { question, startWorld } from './kit.ts';

describe('threads and nodes', () => {
  test('a conversation is made, read, changed, forked, deleted and brought back', async () => {
    const { api } = await startWorld();
    const made = await api('POST', '/threads', { messages: [question('Hi')], title: 'First' });
    expect(made.status).toBe(201);
    const { id, head } = made.body;
    expect((await api('GET', `/nodes/${head}/path`)).body.items).toMatchObject([
      { role: 'user', content: [{ type: 'text', text: 'Hi' }] },
    ]);
    await api('PATCH', `/threads/${id}`, { title: 'Renamed', tags: { good: true }, rating: 3 });
    const fork = await api('POST', `/threads/${id}/fork`, {});
    expect(fork.body).toMatchObject({ forkedFrom: id, title: 'Renamed' });
    await api('DELETE', `/threads/${fork.body.id}`);
    expect((await api('GET', '/threads')).body.items).toMatchObject([{ id, tags: ['good'], rating: 3 }]);
    expect((await api('POST', `/threads/${fork.body.id}/restore`)).body.deleted).toBe(false);
  });

  test('prompts and the default model are kept, and answer whoever names no model', async () => {
    const { api } = await startWorld();
    const configured = (await api('GET', '/settings')).body.model;
    await api('PUT', '/library/prompts/greet', { text: 'Greet {{who}}.' });
    const { body } = await api('PUT', '/library/prompts/welcome', { text: 'Greet {{who}}.', before: 'greet' });
    expect(body.prompts.map(({ name }: { name: string }) => name)).toEqual([
      'explain',
      'review',
      'translate',
      'welcome',
    ]);
    await api('DELETE', '/library/prompts/welcome');
    expect((await api('GET', '/library')).body.prompts).toHaveLength(3);
    expect((await api('PUT', '/library/prompts/Two%20words', { text: 'x' })).status).toBe(400);

    expect((await api('PUT', '/library/model', { model: 'nobody/at-all' })).status).toBe(422);
    expect((await api('PUT', '/library/model', { model: 'openai/gpt-5.5' })).body.model).toBe('openai/gpt-5.5');
    expect((await api('GET', '/settings')).body.model).toBe('openai/gpt-5.5');
    const { head } = (await api('POST', '/threads', { messages: [question('Hi')] })).body;
    const { body: made } = await api('POST', '/generations', { node: head });
    expect(made.model).toBe('openai/gpt-5.5');
    expect((await api('PUT', '/library/model', { model: null })).body).not.toHaveProperty('model');
    expect((await api('GET', '/settings')).body.model).toBe(configured);
  });

  test('exact text on request, with an entity tag that stays', async () => {
    const { api, server } = await startWorld();
    const text = '{ "role":"user", "content":[{"type":"text","text":"1e2"}], "n": 12345678901234567890 }';
    const { body } = await api('POST', '/nodes/root/messages', `{"messages":[${text}]}`);
    const raw = await fetch(`${server.url}/api/v1/nodes/${body.id.slice(0, 10)}?raw`);
    expect(await raw.text()).toBe(text);
    const etag = raw.headers.get('etag')!;
    const again = await fetch(`${server.url}/api/v1/nodes/${body.id}?raw`, { headers: { 'if-none-match': etag } });
    expect(again.status).toBe(304);
  });

  test('ids of the older layout work in paths, queries and bodies', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'older-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const node = { id: 'root-1/node-1', root_id: 'root-1', parent_id: 'root-1', child_ids: [] };
    mkdirSync(join(folder, 'root-1/nodes'), { recursive: true });
    writeFileSync(
      join(folder, 'root-1/nodes/node-1.json'),
      JSON.stringify({ ...node, message: { role: 'user', content: 'Weather?' }, metadata: {} }),
    );
    const root = { id: 'root-1', createdAt: '2025-01-01T00:00:00.000Z', config: {}, child_ids: ['root-1/node-1'] };
    writeFileSync(join(folder, 'roots.json'), JSON.stringify([root]));
    const { api } = await startWorld({ forest: await openOlder(folder, { store: memoryStore() }) });
    const id = encodeURIComponent('root-1/node-1');
    const found = await api('GET', `/nodes/${id}`);
    expect(found.body).toMatchObject({ role: 'user', content: [{ type: 'text', text: 'Weather?' }] });
    const added = await api('POST', `/nodes/${id}/messages`, { messages: [question('And now?')] });
    expect(added.body.parent).toBe(found.body.id);
    expect((await api('GET', `/nodes/${id}/path`)).body.items).toHaveLength(1);
    expect((await api('GET', `/diff?a=${id}&b=${added.body.id}`)).body.sharedLength).toBe(1);
    expect((await api('POST', '/bookmarks', { node: 'root-1/node-1', title: 'Here' })).body.node).toBe(found.body.id);
    expect((await api('GET', `/nodes/${encodeURIComponent('root-1/node-9')}`)).status).toBe(422);
    const plain = await startWorld();
    expect((await plain.api('GET', `/nodes/${id}`)).body).toMatchObject({ status: 400, code: 'not_an_id' });
  });

  test('the older shape is taken, and said to be older', async () => {
    const { api } = await startWorld();
    const call = { id: 'c1', type: 'function', function: { name: 'f', arguments: '{"a":1}' } };
    const older = await api('POST', '/nodes/root/messages', {
      messages: [
        { role: 'user', content: 'Hi' },
        { role: 'assistant', content: null, tool_calls: [call] },
      ],
    });
    expect(older.status).toBe(201);
    expect(older.headers.get('deprecation')).toMatch(/^@\d+$/);
    expect(older.body.content).toMatchObject([{ type: 'tool-use', id: 'c1', rawParameters: '{"a":1}' }]);
  });

  test.each([
    ['a text without its block', 'user', ['Hello'], 'messages[0].content[0]'],
    [
      'a type that is none',
      'user',
      [
        { type: 'text', text: 'a' },
        { type: 'txt', text: 'b' },
      ],
      'messages[0].content[1]',
    ],
    ['a text block without text', 'user', [{ type: 'text' }], 'messages[0].content[0]'],
    ['a picture without a source', 'user', [{ type: 'media', mediaType: 'image/png' }], 'messages[0].content[0]'],
    ['no block in a result', 'tool', [{ type: 'text', text: 'a' }, 7], 'messages[0].content[1]'],
    [
      'no block in a result block',
      'user',
      [{ type: 'tool-result', toolCallId: 'c', content: [{ type: 'text' }] }],
      'messages[0].content[0].content[0]',
    ],
  ])('content that is no block is refused, and its place is named: %s', async (_, role, content, place) => {
    const { api } = await startWorld();
    const messages = [{ role, content, ...(role === 'tool' && { tool_call_id: 'c' }) }];
    for (const path of ['/threads', '/nodes/root/messages']) {
      const { status, body } = await api('POST', path, { messages });
      expect({ status, code: body.code }).toEqual({ status: 422, code: 'bad_message' });
      expect(body.detail).toContain(`${place} is not a content block`);
    }
    expect((await api('GET', '/threads')).body.items).toEqual([]);
  });

  test('edit, split, remove, restore, marks, bookmarks, search, diff and usage', async () => {
    const { api } = await startWorld();
    const { body: node } = await api('POST', '/nodes/root/messages', { messages: [question('Hello wide world')] });
    const edited = await api('POST', `/nodes/${node.id}/edit`, { text: 'Hello small world' });
    expect(edited.body.takes[0]).toMatchObject({ via: 'edit', from: node.id });
    expect((await api('GET', `/nodes/${node.id}/siblings`)).body.items).toHaveLength(2);
    expect((await api('GET', '/search?q=small')).body.items).toMatchObject([{ node: edited.body.id }]);
    expect((await api('GET', `/diff?a=${node.id}&b=${edited.body.id}`)).body.sharedLength).toBe(0);
    expect((await api('PATCH', `/nodes/${node.id}`, { tags: { kept: true } })).body.marks.tags).toEqual(['kept']);
    const bookmark = await api('POST', '/bookmarks', { node: node.id, title: 'Here' });
    expect((await api('DELETE', `/nodes/${node.id}`)).body).toMatchObject({ code: 'bookmarked', status: 409 });
    await api('DELETE', `/bookmarks/${bookmark.body.id}`);
    expect((await api('DELETE', `/nodes/${node.id}`)).status).toBe(200);
    expect((await api('POST', `/nodes/${node.id}/restore`)).body.removed).toBe(false);
    const parts = await api('POST', `/nodes/${node.id}/split`, { at: 5 });
    expect((await api('GET', `/nodes/${parts.body.second}/path`)).body.items).toHaveLength(2);
    expect((await api('GET', `/usage?below=root`)).body.replies).toBe(0);
    expect((await api('GET', '/topology')).body.items.length).toBeGreaterThan(2);
  });
});

describe('generations', () => {
  test('start returns at once, events follow with ids, and go on behind any of them', async () => {
    const { api, emulator, server } = await startWorld();
    const { body: node } = await api('POST', '/nodes/root/messages', { messages: [question('Hello')] });
    emulator.script('anthropic-messages', [says('A long answer in several pieces.')]);
    const started = await api('POST', '/generations', { node: node.id, model: 'anthropic/claude-opus-5-5' });
    expect(started.status).toBe(202);
    const follow = async (headers: Record<string, string>) => {
      const response = await fetch(`${server.url}/api/v1/generations/${started.body.id}/events`, { headers });
      return parseEvents(await response.text());
    };
    const all = await follow({});
    expect(all.at(-1)).toMatchObject({ event: 'end', data: { status: 'done' } });
    expect(all.map(({ data }) => (data.type === 'text' ? data.text : '')).join('')).toBe(
      'A long answer in several pieces.',
    );
    expect(await follow({ 'last-event-id': all[0]!.id! })).toEqual(all.slice(1));
    const { body: done } = await api('GET', `/generations/${started.body.id}`);
    const shown = await api('GET', `/nodes/${done.branches[0].head}/request`);
    expect(shown.body.body).toBe(emulator.log[0]!.body.toString());
  });

  test('a client that leaves does not stop it; stop does, and keeps what arrived', async () => {
    const { api, emulator, server } = await startWorld();
    const { body: node } = await api('POST', '/nodes/root/messages', { messages: [question('Hello')] });
    emulator.script('openai-chat', [
      says('Never to be heard in full.', { break: { after: { events: 2 }, how: 'hang' } }),
    ]);
    const { body } = await api('POST', '/generations', { node: node.id, model: 'openai-chat/gpt-5.5' });
    const leaving = new AbortController();
    await fetch(`${server.url}/api/v1/generations/${body.id}/events`, { signal: leaving.signal });
    leaving.abort();
    expect((await api('GET', `/generations/${body.id}`)).body.status).toBe('running');
    for (let text = ''; !text.includes('Never'); ) {
      const { body: items } = await api('GET', `/generations/${body.id}`);
      text = items.status === 'running' ? await readSome(server.url, body.id) : 'Never';
    }
    await api('POST', `/generations/${body.id}/stop`);
    await expect.poll(async () => (await api('GET', `/generations/${body.id}`)).body.status).toBe('aborted');
    const { body: state } = await api('GET', `/generations/${body.id}`);
    expect((await api('GET', `/nodes/${state.branches[0].head}`)).body.takes[0].cut).toBe(true);
  });

  test('what goes on is asked with the parameters it was started with', async () => {
    const { api, emulator } = await startWorld();
    const { body: node } = await api('POST', '/nodes/root/messages', { messages: [question('Hello')] });
    emulator.script('openai-chat', [{ error: { status: 400, message: 'no' } }, says('Yes.')]);
    const wish = { node: node.id, model: 'openai-chat/gpt-5.5', params: { maxTokens: 77 } };
    const { body } = await api('POST', '/generations', wish);
    const status = async () => (await api('GET', `/generations/${body.id}`)).body.status;
    await expect.poll(status).toBe('failed');
    await api('POST', `/generations/${body.id}/resume`, {});
    await expect.poll(status).toBe('done');
    const sent = emulator.log.map((one) => JSON.parse(one.body.toString()).max_completion_tokens);
    expect(sent).toEqual([77, 77]);
  });

  test('a thread goes on at an answer, not at the branch that failed', async () => {
    const { api, emulator, forest } = await startWorld();
    const { body: thread } = await api('POST', '/threads', { messages: [question('Hello')] });
    emulator.script('openai-chat', [{ error: { status: 400, message: 'no' } }, says('Yes.')]);
    const wish = { node: thread.head, model: 'openai-chat/gpt-5.5', n: 2, thread: thread.id };
    const { body } = await api('POST', '/generations', wish);
    await expect.poll(async () => (await api('GET', `/generations/${body.id}`)).body.status).toBe('done');
    await expect
      .poll(async () => (await forest.node((await forest.threads.get(thread.id)).head)).message.text)
      .toBe('Yes.');
  });

  test('what cannot be asked for is a clear problem', async () => {
    const { api } = await startWorld();
    const ask = (wish: object) => api('POST', '/generations', { node: 'root', ...wish });
    expect((await ask({ model: 'nope/x' })).body).toMatchObject({ code: 'unknown_provider', status: 422 });
    expect((await ask({ model: 'x' })).body).toMatchObject({ code: 'bad_model' });
    expect((await ask({ model: 'openai/gpt-5.5', tools: ['rm'] })).body).toMatchObject({ code: 'unknown_tool' });
    expect((await ask({ agent: 'none' })).body).toMatchObject({ code: 'unknown_agent' });
    expect((await ask({ model: 'openai/gpt-5.5', baseUrl: 'http://evil' })).body).toMatchObject({
      code: 'bad_request',
    });
  });
});

test('a body that is no JSON, or of another type, is a problem that says what to send', async () => {
  const { server } = await startWorld();
  const send = async (type: string, body: string) => {
    const response = await fetch(`${server.url}/api/v1/threads`, {
      method: 'POST',
      headers: { 'content-type': type },
      body,
    });
    return response.json();
  };
  expect(await send('application/json', '{"messages":')).toMatchObject({
    status: 400,
    code: 'invalid_json',
    detail: 'The body is not JSON.',
  });
  expect(await send('text/plain', '{"messages":[]}')).toMatchObject({
    status: 415,
    code: 'wrong_content_type',
    detail: expect.stringContaining('content-type: application/json'),
  });
});

test('the change feed tells of what anyone wrote', async () => {
  const { api, server } = await startWorld();
  const leaving = new AbortController();
  const response = await fetch(`${server.url}/api/v1/changes`, { signal: leaving.signal });
  const { body: node } = await api('POST', '/nodes/root/messages', { messages: [question('Hello')] });
  let text = '';
  for await (const chunk of response.body!) {
    text += Buffer.from(chunk).toString();
    if (text.includes(node.id)) break;
  }
  expect(text).toContain('event: changes');
  leaving.abort();
});

test('the change feed tells of all that is written once it has answered, also where looking takes its time', async () => {
  const forest = createForest(memoryStore());
  const slow: Forest = { ...forest, changes: (after) => sleep(50).then(() => forest.changes(after)) };
  const { server } = await startWorld({ forest: slow });
  const leaving = new AbortController();
  const response = await fetch(`${server.url}/api/v1/changes`, { signal: leaving.signal });
  const id = await forest.append(ROOT, [user('At once')]);
  let text = '';
  for await (const chunk of response.body!) {
    text += Buffer.from(chunk).toString();
    if (text.includes(id)) break;
  }
  expect(text).toMatch(/event: start[\s\S]*event: changes/);
  leaving.abort();
});

test('the OpenAPI document has every route', async () => {
  const { server } = await startWorld();
  const document = JSON.parse(await (await fetch(`${server.url}/api/openapi.json`)).text());
  expect(document.openapi).toBe('3.1.0');
  expect(Object.keys(document.paths)).toEqual(
    expect.arrayContaining([
      '/api/v1/threads',
      '/api/v1/nodes/{node}',
      '/api/v1/generations/{generation}/events',
      '/api/v1/changes',
    ]),
  );
});

async function readSome(url: string, generation: string): Promise<string> {
  const leaving = new AbortController();
  const response = await fetch(`${url}/api/v1/generations/${generation}/events`, { signal: leaving.signal });
  let text = '';
  for await (const chunk of response.body!) {
    text += Buffer.from(chunk).toString();
    if (text.includes('event: text')) break;
  }
  leaving.abort();
  return text;
}

function parseEvents(text: string) {
  return text
    .split('\n\n')
    .filter((block) => block.includes('data: '))
    .map((block) => ({
      id: /^id: (.*)$/m.exec(block)?.[1],
      event: /^event: (.*)$/m.exec(block)?.[1],
      data: JSON.parse(/^data: (.*)$/m.exec(block)![1]!),
    }));
}
