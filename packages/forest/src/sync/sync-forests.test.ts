import { assistant, system, user } from '@skein/core';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createForest, type Forest, makeRef } from '../forest/index.ts';
import { createTake, ROOT, sha256 } from '../model/ids.ts';
import { memoryStore, overlayStore } from '../store/index.ts';
import { meetForest } from './meet-forest.ts';
import { answerSync, remotePeer } from './protocol.ts';
import { createRecordIndex, type RecordItem } from './record-index.ts';
import type { SyncSelection } from './selection.ts';
import { storePeer } from './store-peer.ts';
import { type SyncResult, syncForests } from './sync-forests.ts';
import { type LocalPeer, SYNC_VERSION, type SyncPeer } from './sync-peer.ts';

const both = { direction: 'both' } as const;

/** A peer behind a connection: everything passes through JSON, as over HTTP and standard input. */
function connect(forest: Forest): SyncPeer {
  const peer = storePeer(forest.store);
  return remotePeer(async (call) =>
    JSON.parse(JSON.stringify(await answerSync(peer, JSON.parse(JSON.stringify(call))))),
  );
}

/** Everything that the forest has, as texts in the order of their ids. */
async function recordsOf({ store }: Forest): Promise<string[]> {
  const peer = storePeer(store);
  await peer.summaries(['']);
  const ids = (await peer.items([''])).map(({ id }) => id).sort();
  const texts: string[] = [];
  for (let start = 0; start < ids.length; ) {
    const { records, done } = await peer.read(ids.slice(start));
    texts.push(...records.map(({ record }) => JSON.stringify(record)));
    start += done;
  }
  return texts;
}

/** A connection that breaks after some writes. */
function breaking<Peer extends SyncPeer>(peer: Peer, writes: number): Peer {
  let left = writes;
  return {
    ...peer,
    // One record at a time, so that a transfer is cut between any two records.
    read: (ids) => peer.read(ids.slice(0, 1)),
    async write(records) {
      if (left-- <= 0) throw new Error('The connection broke.');
      await peer.write(records);
    },
  };
}

/** A clock that goes on with every look, so that the order of all stamps is known. */
function createTicks(): () => number {
  let ticks = Date.now();
  return () => {
    ticks += 1;
    return ticks;
  };
}

const step = fc.oneof(
  fc.record({
    kind: fc.constantFrom('append', 'edit', 'rename', 'tag', 'note', 'remove', 'restore', 'delete', 'undelete'),
    at: fc.nat(2),
    pick: fc.nat(30),
    text: fc.nat(3),
  }),
  fc.record({
    kind: fc.constant('jump'),
    at: fc.nat(2),
    pick: fc.integer({ min: -100_000, max: 100_000 }),
    text: fc.nat(1),
  }),
  fc.record({ kind: fc.constantFrom('meet', 'break'), at: fc.nat(2), pick: fc.nat(2), text: fc.nat(4) }),
);

test('replicas agree byte for byte after random changes, partitions, jumps of clocks and broken transfers', async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 2, max: 3 }), fc.array(step, { maxLength: 25 }), async (count, steps) => {
      const offsets = Array.from({ length: count }, () => 0);
      const now = createTicks();
      const forests = offsets.map((_, at) => createForest(memoryStore(), { now: () => now() + offsets[at]! }));
      const names = forests.map(() => ({ nodes: [] as string[], threads: [] as string[] }));
      for (const { kind, at, pick, text } of steps) {
        const number = at % count;
        const forest = forests[number]!;
        const { nodes, threads } = names[number]!;
        const node = nodes[pick % nodes.length];
        const thread = threads[pick % threads.length];
        const other = forests[(number + 1 + (pick % (count - 1))) % count]!;
        if (kind === 'jump') offsets[number]! += pick;
        else if (kind === 'meet') await syncForests(storePeer(forest.store), connect(other), both);
        else if (kind === 'break')
          await syncForests(breaking(storePeer(forest.store), text), breaking(connect(other), text), both).catch(
            () => undefined,
          );
        else if (kind === 'append' || !node || !thread) {
          const head = await forest.append(node ?? ROOT, [user(`Hello ${text}`)]);
          threads.push((await forest.threads.create({ head })).id);
          nodes.push(head);
        } else if (kind === 'edit') nodes.push(await forest.edit(node, `Edited ${text}`));
        else if (kind === 'rename') await forest.threads.rename(thread, `Title ${text}`);
        else if (kind === 'tag') await forest.tag(node, { [`tag${text}`]: pick % 2 === 0 });
        else if (kind === 'note') await forest.note(node, `Note ${text}`);
        else if (kind === 'remove') await forest.remove(node);
        else if (kind === 'restore') await forest.restore(node);
        else if (kind === 'delete') await forest.threads.delete(thread);
        else await forest.threads.restore(thread);
      }
      // Around the circle twice: then each has heard of everything.
      for (let round = 0; round < 2 * count; round++)
        await syncForests(storePeer(forests[round % count]!.store), connect(forests[(round + 1) % count]!), both);
      const [first, ...others] = await Promise.all(forests.map(recordsOf));
      for (const records of others) expect(records).toEqual(first);
      const again = await syncForests(storePeer(forests[0]!.store), connect(forests[1]!), both);
      expect(again).toMatchObject({ sent: 0, received: 0, conflicts: [] });
      for (const forest of forests) expect(await forest.fsck()).toEqual([]);
    }),
    { numRuns: 25 },
  );
});

test('two renames are reported and both kept, and what one side alone changed is no conflict', async () => {
  const now = createTicks();
  const here = createForest(memoryStore(), { now });
  const there = createForest(memoryStore(), { now });
  const { id } = await here.threads.create({ head: await here.append(ROOT, [user('Hello')]) });
  const meet = (): Promise<SyncResult> => meetForest(here, connect(there), 'there', both);
  await meet();
  await here.threads.rename(id, 'Mine');
  expect((await meet()).conflicts).toEqual([]);
  await here.threads.rename(id, 'Mine again');
  await there.threads.rename(id, 'Theirs');
  const { conflicts } = await meet();
  expect(conflicts).toMatchObject([{ on: 'thread', key: id, name: 'title', kept: 'Theirs', lost: 'Mine again' }]);
  for (const forest of [here, there]) {
    expect((await forest.threads.get(id)).title).toBe('Theirs');
    const { items } = await forest.store.refs({ on: 'thread', keys: [id], names: [conflicts[0]!.keptAs] });
    expect(items[0]?.value).toBe('Mine again');
  }
  expect(await meet()).toMatchObject({ sent: 0, received: 0, conflicts: [] });
});

test('a machine that knows fewer turns of a conversation does not hide the rest, even if its clock is ahead', async () => {
  const now = createTicks();
  const behind = createForest(memoryStore(), { now });
  const ahead = createForest(memoryStore(), { now: () => now() + 3_600_000 });
  const { id, head } = await behind.threads.begin([user('One'), assistant('Two')]);
  await syncForests(storePeer(behind.store), connect(ahead), both);
  const end = (await behind.threads.append(id, [user('Three'), assistant('Four')])).head;
  // As a recorder does that places only the first turn.
  await ahead.threads.moveHead(id, head);
  const { conflicts } = await syncForests(storePeer(ahead.store), connect(behind), both);
  expect(conflicts.filter(({ name }) => name === 'head')).toEqual([]);
  for (const forest of [behind, ahead]) expect((await forest.threads.get(id)).head).toBe(end);
  expect(await syncForests(storePeer(behind.store), connect(ahead), both)).toMatchObject({ sent: 0, received: 0 });
});

test('a push from a machine that knows fewer turns makes no thread of them, and takes none away, even if a clock is ahead', async () => {
  for (const aheadMs of [0, 60_000, -60_000]) {
    let ticks = Date.now();
    const here = createForest(memoryStore(), { now: () => ticks++ });
    const there = createForest(memoryStore(), { now: () => ticks++ + aheadMs });
    const { id, head } = await here.threads.begin([user('One'), assistant('Two')]);
    const push = () => meetForest(here, connect(there), 'there', { direction: 'push' });
    await push();
    const end = (await there.threads.append(id, [user('More')])).head;
    expect((await push()).conflicts).toEqual([]);
    expect((await there.threads.list()).items).toMatchObject([{ id, head: end }]);
    // What a person did here since then is no news of an old machine.
    const mine = (await here.threads.append(id, [user('Mine')])).head;
    await push();
    const heads = (await there.threads.list()).items.map((thread) => thread.head);
    expect(heads.sort()).toEqual([end, mine].sort());
    await here.threads.moveHead(id, head);
  }
});

test('a conversation that both sides continued is two threads afterwards, on both sides and whoever began', async () => {
  const now = createTicks();
  const here = createForest(memoryStore(), { now });
  const there = createForest(memoryStore(), { now });
  const { id, head } = await here.threads.begin([user('Hello')]);
  const meet = () => meetForest(here, connect(there), 'there', both);
  await meet();
  const mine = (await here.threads.append(id, [assistant('Mine')])).head;
  const theirs = (await there.threads.append(id, [assistant('Theirs')])).head;
  const { conflicts } = await meet();
  expect(conflicts).toMatchObject([{ on: 'thread', key: id, name: 'head', kept: theirs, lost: mine }]);
  for (const forest of [here, there]) {
    expect((await forest.threads.get(id)).head).toBe(theirs);
    const fork = await forest.threads.get(conflicts[0]!.keptAs);
    expect(fork).toMatchObject({ head: mine, title: 'Hello', forkedFrom: id });
    expect((await forest.threads.list()).items.map((thread) => thread.id).sort()).toEqual([id, fork.id].sort());
  }
  expect(await meet()).toMatchObject({ sent: 0, received: 0, conflicts: [] });
  // A person who moves the end of a thread up again is no conflict, and no fork.
  await here.threads.moveHead(id, head);
  expect((await meet()).conflicts).toEqual([]);
  expect((await there.threads.get(id)).head).toBe(head);
  expect((await there.threads.list()).items).toHaveLength(2);
});

test('push and pull go one way, a dry run writes nothing, and deletions travel', async () => {
  const here = createForest(memoryStore());
  const there = createForest(memoryStore());
  const mine = await here.append(ROOT, [user('Mine')]);
  const theirs = await there.append(ROOT, [user('Theirs')]);
  const meet = (direction: 'push' | 'pull', dryRun = false) =>
    syncForests(storePeer(here.store), connect(there), { direction, dryRun });
  expect((await meet('push', true)).messages).toEqual({ sent: 1, received: 0 });
  expect(await there.store.nodes([mine])).toEqual([undefined]);
  await meet('push');
  expect((await there.node(mine)).message.text).toBe('Mine');
  expect(await here.store.nodes([theirs])).toEqual([undefined]);
  await there.remove(mine);
  await meet('pull');
  expect((await here.node(mine)).removed).toBe(true);
  expect((await here.node(theirs)).message.text).toBe('Theirs');
});

test('a selection by tag and date sends whole conversations with what belongs to them, and nothing else', async () => {
  let now = Date.parse('2026-01-10');
  const here = createForest(memoryStore(), { now: () => now });
  const there = createForest(memoryStore(), { now: () => now });
  const begin = async (text: string, tag: string) => {
    const thread = await here.threads.begin([system('Be brief.'), user(text)]);
    return here.threads.tag(thread.id, { [tag]: true });
  };
  const first = await begin('First', 'work');
  const mark = await here.bookmarks.add(first.head, 'Here');
  await here.note(first.head, 'A note');
  const home = await begin('Second', 'home');
  now = Date.parse('2026-02-10');
  const later = await begin('Third', 'work');
  const meet = (selection: SyncSelection) => syncForests(storePeer(here.store), connect(there), { ...both, selection });
  expect(await meet({ tag: 'none' })).toMatchObject({ sent: 0, received: 0 });
  const february = Date.parse('2026-02-01');
  expect((await meet({ tag: 'work', until: february })).messages).toEqual({ sent: 2, received: 0 });
  expect(await there.threads.get(first.id)).toEqual(await here.threads.get(first.id));
  expect((await there.bookmarks.list()).items).toMatchObject([{ id: mark.id, node: first.head }]);
  expect((await there.node(first.head)).marks.note).toBe('A note');
  expect((await there.threads.list()).items).toHaveLength(1);
  // The system text is there, but in no thread of this selection: it is sent once more.
  expect((await meet({ since: february })).messages).toEqual({ sent: 2, received: 0 });
  expect(await meet({ tag: 'work' })).toMatchObject({ sent: 0, received: 0, conflicts: [] });
  // A tag that one side takes away is taken away on the other side.
  await there.threads.tag(later.id, { work: false });
  await meet({ tag: 'work' });
  expect((await here.threads.get(later.id)).tags).toEqual([]);
  await expect(there.threads.get(home.id)).rejects.toThrow('no thread');
  expect(await there.fsck()).toEqual([]);
  const forgotten = { version: 3, call: 'items', list: [''], selection: 'unknown' };
  await expect(answerSync(storePeer(there.store), forgotten)).rejects.toMatchObject({ code: 'sync_refused' });
});

test('an answer that says no version is not taken for an older peer', async () => {
  const here = createForest(memoryStore());
  for (const answer of [{ vqrsion: 3 }, { result: 'three' }, null, 'a page']) {
    const something = remotePeer(async () => answer);
    await expect(syncForests(storePeer(here.store), something, both)).rejects.toMatchObject({
      code: 'sync_refused',
      message: expect.stringContaining('Is it a forest?'),
    });
  }
});

test('a record that does not match its hash is refused with its whole batch, and so is another version', async () => {
  const here = createForest(memoryStore());
  const there = createForest(memoryStore());
  await there.append(ROOT, [user('Hello')]);
  const peer = connect(there);
  for (const change of [
    { text: 'Other' },
    { author: 'tool' },
    { dialect: 'other' },
    { digest: 'x' },
    { depth: 7 },
    { facts: { role: 'assqstant' } },
  ]) {
    const [name] = Object.keys(change);
    const lying: SyncPeer = {
      ...peer,
      async read(ids) {
        const { records, done } = await peer.read(ids);
        return {
          records: records.map((one) =>
            name! in one.record ? { ...one, record: { ...one.record, ...change } as never } : one,
          ),
          done,
        };
      },
    };
    await expect(syncForests(storePeer(here.store), lying, both)).rejects.toMatchObject({ code: 'sync_refused' });
    expect((await here.store.scan()).items).toEqual([]);
  }
  const newer = { ...peer, version: async () => SYNC_VERSION + 1 };
  await expect(syncForests(storePeer(here.store), newer, both)).rejects.toMatchObject({ code: 'sync_version' });
  await expect(answerSync(peer, { version: SYNC_VERSION + 1, call: 'write', list: [] })).rejects.toMatchObject({
    code: 'sync_version',
  });
  await expect(answerSync(peer, { version: SYNC_VERSION, call: 'items', list: ['../x'] })).rejects.toMatchObject({
    code: 'sync_refused',
  });
});

test('a damaged text is not sent, nor what depends on it, and the rest arrives', async () => {
  const store = memoryStore();
  const whole = createForest(store);
  const first = await whole.threads.begin([user('First'), assistant('Damaged'), user('Below')]);
  const second = await whole.threads.begin([user('Second')]);
  const mark = await whole.bookmarks.add(first.head, 'Here');
  const generation = {
    k: 'generation',
    id: 'g',
    of: first.head,
    order: '1',
    clock: whole.clock.tick(),
    data: {},
  } as const;
  await store.append([generation]);
  const damaged = (await store.path(first.head))[1]!.body;
  const here = createForest(
    overlayStore(store, {
      bodies: async (digests) =>
        (await store.bodies(digests)).map((text, at) => (digests[at] === damaged ? undefined : text)),
    }),
  );
  const there = createForest(memoryStore());
  const { messages } = await syncForests(storePeer(here.store), connect(there), both);
  expect(messages).toEqual({ sent: 2, received: 0 });
  expect((await there.threads.list()).items.map(({ id }) => id)).toEqual([second.id]);
  expect((await there.bookmarks.list()).items).toEqual([]);
  expect((await there.store.entries('generation')).items).toEqual([]);
  expect(await there.fsck()).toEqual([]);
  // Once the text is there again, all of it arrives.
  await syncForests(storePeer(store), connect(there), both);
  expect(await there.threads.get(first.id)).toEqual(await whole.threads.get(first.id));
  expect((await there.bookmarks.list()).items).toEqual([mark]);
  expect((await there.store.entries('generation')).items).toEqual([generation]);
});

test('the claims of processes stay where they are, so that a released one is not sent for ever', async () => {
  const here = createForest(memoryStore());
  const there = createForest(memoryStore());
  await here.append(ROOT, [user('Hello')]);
  await there.store.append([makeRef(there, 'forest', 'engine', 'a-process', ['a-node'])]);
  await syncForests(storePeer(here.store), connect(there), both);
  expect((await here.store.refs({ on: 'forest' })).items).toEqual([]);
  expect(await syncForests(storePeer(here.store), connect(there), both)).toMatchObject({ sent: 0, received: 0 });
});

test('a take whose request is damaged is not sent without it', async () => {
  const store = memoryStore();
  const head = await createForest(store).append(ROOT, [user('Hello')]);
  const at = 1;
  const envelope = sha256('{}');
  const take = createTake({ node: head, at, author: 'model', via: 'import', origin: {}, envelope } as never);
  await store.append([take]);
  const there = createForest(memoryStore());
  await syncForests(storePeer(store), connect(there), both);
  expect((await there.store.takes([head])).map(({ id }) => id)).not.toContain(take.id);
  await store.append([{ k: 'body', digest: envelope, text: '{}' }]);
  await syncForests(storePeer(store), connect(there), both);
  expect((await there.store.takes([head])).map(({ id }) => id)).toContain(take.id);
});

test('what is exchanged grows with the difference, not with the size', async () => {
  const item = (number: number): RecordItem => {
    const key = `body/${number}`;
    return { id: sha256(key).slice(0, 32), rank: 0, key };
  };
  const peerWith = (numbers: number): LocalPeer => {
    const index = createRecordIndex();
    for (let number = 0; number < numbers; number++) index.put(item(number));
    return {
      ...storePeer(memoryStore()),
      summaries: async (prefixes) => prefixes.map((prefix) => index.summaries(prefix)),
      items: async (prefixes) => prefixes.flatMap((prefix) => index.items(prefix)),
      read: async (ids) => ({ records: [], done: ids.length }),
      write: async () => undefined,
    };
  };
  const exchanged = async (local: LocalPeer, remote: SyncPeer, more: number) => {
    const { sent, compared } = await syncForests(local, remote, both);
    expect(sent).toBe(more);
    return compared.summaries + compared.items;
  };
  const size = Number(process.env.SKEIN_SYNC_ITEMS ?? 100_000);
  const large = peerWith(size);
  expect(await exchanged(large, large, 0)).toBe(16);
  // Of each difference at most four levels of sixteen summaries, and a leaf of 48 items.
  const most = 16 + 10 * (3 * 16 + 48);
  expect(await exchanged(peerWith(size + 10), large, 10)).toBeLessThanOrEqual(most);
  expect(await exchanged(peerWith(1010), peerWith(1000), 10)).toBeLessThanOrEqual(most);
});
