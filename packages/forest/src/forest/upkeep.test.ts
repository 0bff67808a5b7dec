import { assistant, openaiChat, user } from '@skein/core';
import { describe, expect, test } from 'vitest';
import { ROOT, sha256 } from '../model/ids.ts';
import type { NodeRecord, StoreRecord } from '../model/records.ts';
import { memoryStore, type Store } from '../store/index.ts';
import { createForest } from './index.ts';
import { makeNodeRecords, ROOT_POINT } from './write/append-point.ts';

describe('gc', () => {
  test('forgets what was removed, with its takes, marks and texts, and nothing that is shared', async () => {
    const forest = createForest(memoryStore());
    const kept = await forest.append(ROOT, [user('Shared text')]);
    const gone = await forest.append(ROOT, [user('Gone'), user('Shared text'), assistant('Also gone')]);
    const [top] = await forest.path(gone);
    await forest.note(gone, 'secret');
    await forest.remove(top!.id);
    await forest.gc();
    await expect(forest.node(gone)).rejects.toMatchObject({ code: 'unknown_node' });
    const digests = ['Gone', 'Also gone'].map((text) => user(text).facts.digest);
    expect(await forest.store.bodies([...digests, user('Shared text').facts.digest])).toEqual([
      undefined,
      undefined,
      user('Shared text').raw,
    ]);
    expect(await forest.store.takes([gone])).toEqual([]);
    const refs = (await forest.store.refs({ on: 'node' })).items;
    expect(JSON.stringify(refs)).not.toContain('secret');
    expect((await forest.children(ROOT)).items.map(({ id }) => id)).toEqual([kept]);
    expect(await forest.fsck()).toEqual([]);
    const again = await forest.append(ROOT, [user('Gone')]);
    expect((await forest.children(ROOT)).items.map(({ id }) => id)).toEqual([kept, again]);
  });

  test('keeps what a thread or a bookmark leads through, until they are gone', async () => {
    const forest = createForest(memoryStore());
    const head = await forest.append(ROOT, [user('A'), assistant('B')]);
    const other = await forest.append(head, [user('C')]);
    const thread = await forest.threads.create({ head });
    await forest.remove((await forest.path(head))[0]!.id);
    await forest.gc();
    expect((await forest.node(head)).removed).toBe(true);
    await expect(forest.node(other)).rejects.toMatchObject({ code: 'unknown_node' });
    await forest.threads.delete(thread.id);
    await forest.gc();
    await expect(forest.node(head)).rejects.toMatchObject({ code: 'unknown_node' });
    await expect(forest.threads.get(thread.id)).rejects.toMatchObject({ code: 'unknown_thread' });
  });

  test('keeps redirects, envelopes, and texts that entries name', async () => {
    const forest = createForest(memoryStore());
    const body = (text: string): StoreRecord => ({ k: 'body', digest: sha256(text), text });
    await forest.store.append([
      body('envelope'),
      body('sent'),
      body('nobody'),
      { k: 'exchange', id: 'x', of: '', order: '1', clock: '1', data: { request: { body: sha256('sent') } } },
    ]);
    const old = await forest.append(ROOT, [user('A'), assistant('B')], { envelope: sha256('envelope') });
    const onto = await forest.append(ROOT, [user('X')]);
    await forest.graft((await forest.path(old))[0]!.id, onto);
    const { removed } = await forest.gc();
    expect(removed).toBeGreaterThan(3);
    expect((await forest.path(old)).map(({ message }) => message.text)).toEqual(['X', 'A', 'B']);
    expect(await forest.store.bodies(['envelope', 'sent', 'nobody'].map(sha256))).toEqual([
      'envelope',
      'sent',
      undefined,
    ]);
    const { kept } = await forest.pack();
    expect(await forest.pack()).toEqual({ kept, removed: 0 });
  });
});

describe('fsck', () => {
  const call = openaiChat.parseMessage(
    '{"role":"assistant","content":null,"tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{}"}}]}',
  );
  const answer = openaiChat.parseMessage('{"role":"tool","tool_call_id":"c","content":"1"}');

  /** A store in which one node is another. */
  const withNode = async (change: (node: NodeRecord) => Partial<NodeRecord>): Promise<Store> => {
    const store = memoryStore();
    const head = await createForest(store).append(ROOT, [user('Q'), call, answer]);
    const altered = (node: NodeRecord | undefined) => (node?.id === head ? { ...node, ...change(node) } : node);
    return {
      ...store,
      nodes: async (ids) => (await store.nodes(ids)).map(altered),
      scan: async (page) => ({ items: (await store.scan(page)).items.map((node) => altered(node)!) }),
    };
  };
  const codes = async (change: (node: NodeRecord) => Partial<NodeRecord>) =>
    (await createForest(await withNode(change)).fsck()).map(({ code }) => code);

  test('finds a wrong id, parent, depth, lead and echo, and nothing where all is well', async () => {
    expect(await codes(() => ({}))).toEqual([]);
    expect(await codes(() => ({ dialect: 'blocks' }))).toContain('wrong-hash');
    expect(await codes(() => ({ parent: 'f'.repeat(40) }))).toContain('missing-parent');
    expect(await codes(() => ({ body: 'f'.repeat(64) }))).toContain('missing-body');
    expect(await codes(({ depth }) => ({ depth: depth + 1 }))).toEqual(['wrong-place']);
    expect(await codes(({ id }) => ({ lead: id }))).toEqual(['wrong-place']);
    expect(await codes(() => ({ echo: '1:0' }))).toEqual(['wrong-echo']);
    // The echo of another version of the rule is not wrong: it is of no use any more.
    expect(await codes(() => ({ echo: '0:0' }))).toEqual([]);
  });

  test('reports what it cannot read, and goes on', async () => {
    const store = memoryStore();
    const { node, body } = makeNodeRecords(ROOT_POINT, user('Fine'), 1);
    await store.append([body, node]);
    const altered: Store = {
      ...store,
      scan: async (page) => ({
        items: (await store.scan(page)).items.map((one) => ({ ...one, dialect: 'no-such' })),
      }),
    };
    expect((await createForest(altered).fsck()).map(({ code }) => code)).toEqual(['wrong-hash', 'damaged-record']);
  });
});
