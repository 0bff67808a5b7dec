import { anthropicMessages, assistant, type Message, openaiChat, user } from '@skein/core';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createForest, type Forest, ForestError, type Page, ROOT, type Store } from '../src/index.ts';
import { createPlainForest, type PlainForest, type PlainMessage, type PlainNode } from './plain-forest.ts';

const TEXTS = ['a', 'b', 'a b', 'bör 🐻 c'];
const TAGS = ['good', 'bad'];

const command = fc.record({
  what: fc.constantFrom(
    ...([
      'append',
      'append',
      'append',
      'edit',
      'split',
      'split',
      'remove',
      'keep',
      'restore',
      'graft',
      'graft',
    ] as const),
    ...(['tag', 'untag', 'bookmark', 'unbookmark', 'thread', 'unthread', 'observe', 'gc'] as const),
  ),
  node: fc.nat(1000),
  other: fc.nat(1000),
  text: fc.nat(TEXTS.length - 1),
  second: fc.option(fc.nat(TEXTS.length - 1)),
  at: fc.nat(8),
  role: fc.nat(3),
  writer: fc.nat(1),
  jump: fc.integer({ min: -60_000, max: 60_000 }),
});
type Command = typeof command extends fc.Arbitrary<infer T> ? T : never;

/**
 * Random operations by writers whose clocks jump, on two machines an hour apart, give the same forest as a plain tree
 * of objects. `open` makes an empty store.
 */
export function forestProperties(name: string, open: () => Promise<Store>, runs = 100): void {
  test(`${name}: random operations give the forest that a plain tree of objects gives`, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(command, { minLength: 1, maxLength: 25 }), async (commands) => {
        const opened = await open();
        const store = refusingStale(opened);
        try {
          let time = 1_700_000_000_000;
          const clocks = [() => time, () => time - 3_600_000];
          const plain = createPlainForest();
          const ids = [ROOT];
          for (const one of commands) {
            time += one.jump;
            // One that has seen nothing yet, as a process that was just started.
            const forest = createForest(store, { now: clocks[one.writer]! });
            await perform(forest, plain, ids, one);
            for (const { id } of plain.all()) if (!ids.includes(id)) ids.push(id);
          }
          await compare(createForest(store), plain, ids);
        } finally {
          await opened.close();
        }
      }),
      { numRuns: runs },
    );
  });
}

/**
 * A store that refuses a value which is not later than the one it takes the place of: nobody writes at the same time
 * here, so whoever wrote it had not read what was there, and it would be lost in silence.
 */
function refusingStale(store: Store): Store {
  const append: Store['append'] = async (records) => {
    for (const record of records) {
      if (record.k !== 'ref') continue;
      const { on, key, name, clock } = record;
      const [there] = (await store.refs({ on, keys: [key], names: [name], limit: 1 })).items;
      if (there && there.clock >= clock) throw new Error(`${on} ${key} ${name} was written without a look at it`);
    }
    return store.append(records);
  };
  return Object.create(store, { append: { value: append, enumerable: true } }) as Store;
}

const chat = (role: string, content: string) => openaiChat.parseMessage(JSON.stringify({ role, content }));
const claude = (content: string) => anthropicMessages.parseMessage(JSON.stringify({ role: 'assistant', content }));
const WRITERS = [user, assistant, (text: string) => chat('user', text), claude];

const plainOf = ({ role, text, raw, origin }: Message): PlainMessage => ({ role, text, raw, dialect: origin.dialect });
const ours = (role: string, text: string): Message => (role === 'user' ? user(text) : assistant(text));

async function perform(forest: Forest, plain: PlainForest, ids: readonly string[], one: Command): Promise<void> {
  const id = ids[one.node % ids.length]!;
  const onto = ids[one.other % ids.length]!;
  const node = plain.find(id);
  if (!node) return void (await refused(forest.node(id), 'unknown_node'));
  const text = TEXTS[one.text]!;
  switch (one.what) {
    case 'append': {
      const message = WRITERS[one.role]!(text);
      const messages = one.second === null ? [message] : [message, WRITERS[(one.role + 1) % 4]!(TEXTS[one.second]!)];
      const last = plain.append(node, messages.map(plainOf));
      return expect(await forest.append(id, messages)).toBe(last.id);
    }
    case 'observe': {
      const messages = [...plain.pathOf(node).map(messageOf), user(text)];
      const seen = await forest.observe(messages);
      // By its echo it may be known elsewhere: then the plain forest, which knows none, is told where.
      const at = plain.find(seen.node)!;
      plain.restore(at);
      const added = messages.slice(seen.matched).map(plainOf);
      return expect(seen.head).toBe(added.length === 0 ? at.id : plain.append(at, added).id);
    }
    case 'tag':
    case 'untag': {
      const tag = TAGS[one.at % 2]!;
      if (node === plain.root) return refused(forest.tag(id, { [tag]: true }), 'unknown_node');
      await forest.tag(id, { [tag]: one.what === 'tag' });
      if (one.what === 'tag') node.tags.add(tag);
      else node.tags.delete(tag);
      return;
    }
    case 'bookmark':
      plain.bookmarks.set((await forest.bookmarks.add(id)).id, node.id);
      return;
    case 'unbookmark': {
      const bookmark = [...plain.bookmarks.keys()][one.other % Math.max(1, plain.bookmarks.size)];
      if (bookmark === undefined) return refused(forest.bookmarks.remove('none'), 'unknown_bookmark');
      plain.bookmarks.delete(bookmark);
      return forest.bookmarks.remove(bookmark);
    }
    case 'thread':
      plain.threads.set((await forest.threads.create({ head: id })).id, { head: node.id, deleted: false });
      return;
    case 'unthread': {
      const [thread, state] = [...plain.threads][one.other % Math.max(1, plain.threads.size)] ?? [];
      if (thread === undefined || !state) return;
      state.deleted = !state.deleted;
      if (state.deleted) await forest.threads.delete(thread);
      else await forest.threads.restore(thread);
      return;
    }
    case 'gc':
      plain.gc();
      await forest.gc();
      return;
    default:
      if (node === plain.root) return;
      return reshape(forest, plain, one, { id, node, onto, text });
  }
}

async function reshape(
  forest: Forest,
  plain: PlainForest,
  { what, at }: Command,
  { id, node, onto, text }: { id: string; node: PlainNode; onto: string; text: string },
): Promise<void> {
  const marked = [...plain.bookmarks.values()].flatMap((one) => plain.find(one) ?? []);
  if (what === 'edit') {
    const edited = text === node.text ? node : plain.edit(node, plainOf(ours(node.role, text)));
    expect(await forest.edit(id, text)).toBe(edited.id);
  } else if (what === 'split') {
    const isInside = at > 0 && at < node.text.length && !/[\udc00-\udfff]/.test(node.text[at]!);
    if (!isInside) return refused(forest.split(id, at), 'bad_position');
    const halves = [node.text.slice(0, at), node.text.slice(at)].map((half) => plainOf(ours(node.role, half)));
    plain.split(node, halves[0]!, halves[1]!);
    const { second } = await forest.split(id, at);
    expect(await forest.resolve(id)).toBe(second);
  } else if (what === 'remove') {
    if (marked.some((one) => plain.isBelow(one, node))) return refused(forest.remove(id), 'bookmarked');
    node.removed = true;
    await forest.remove(id);
  } else if (what === 'keep') {
    if (marked.includes(node)) return refused(forest.remove(id, { keepChildren: true }), 'bookmarked');
    plain.removeKeeping(node);
    await forest.remove(id, { keepChildren: true });
  } else if (what === 'restore') {
    plain.restore(node);
    await forest.restore(id);
  } else {
    const target = plain.find(onto);
    if (!target) return refused(forest.graft(id, onto), 'unknown_node');
    if (plain.isBelow(target, node)) return refused(forest.graft(id, onto), 'below_itself');
    plain.graft(node, target);
    await forest.graft(id, onto);
  }
}

async function refused(action: Promise<unknown>, code: string): Promise<void> {
  const error = await action.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(ForestError);
  expect((error as ForestError).code).toBe(code);
}

async function compare(forest: Forest, plain: PlainForest, ids: readonly string[]): Promise<void> {
  const visible = [...plain.all()].filter(plain.isVisible);
  const shown = await gather((after) => forest.topology({ limit: 3, ...after }));
  expect(sorted(shown.map(({ parent, id }) => `${parent} ${id}`))).toEqual(
    sorted(visible.map(({ parent, id }) => `${parent!.id} ${id}`)),
  );
  const leaves = visible.filter(({ children }) => [...children.values()].every(({ removed }) => removed));
  const found = await gather((after) => forest.leaves('root', { limit: 2, ...after }));
  expect(sorted(found.map(({ id }) => id))).toEqual(sorted(leaves.map(({ id }) => id)));
  for (const id of ids) {
    const node = plain.find(id);
    if (!node) await refused(forest.resolve(id), 'unknown_node');
    else expect(await forest.resolve(id)).toBe(node.id);
  }
  for (const node of plain.all()) {
    const path = await forest.path(node.id);
    expect(path.map(({ message }) => message.raw)).toEqual(plain.pathOf(node).map(({ raw }) => raw));
    expect(path.at(-1)!.marks.tags).toEqual([...node.tags].sort());
    expect(path.at(-1)!.removed).toBe(!plain.isVisible(node));
    expect((await forest.messages(node.id)).map(({ text }) => text).join('')).toBe(
      path.map(({ message }) => message.text).join(''),
    );
    const children = await gather((after) => forest.children(node.id, { limit: 1, ...after }));
    expect(sorted(children.map(({ id }) => id))).toEqual(
      sorted([...node.children.values()].filter(plain.isVisible).map(({ id }) => id)),
    );
  }
  const hits = await gather((after) => forest.search('a', { limit: 2, ...after }));
  const words = visible.filter(({ text }) => /(^| )a/.test(text));
  expect(sorted(hits.map(({ node }) => node))).toEqual(sorted(words.map(({ id }) => id)));
  const threads = await gather((after) => forest.threads.list({ limit: 1, ...after }));
  expect(sorted(threads.map(({ id, head }) => `${id} ${head}`))).toEqual(
    sorted(
      [...plain.threads].filter(([, { deleted }]) => !deleted).map(([id, { head }]) => `${id} ${plain.now(head)}`),
    ),
  );
  const bookmarks = await gather((after) => forest.bookmarks.list({ limit: 1, ...after }));
  expect(sorted(bookmarks.map(({ id, node }) => `${id} ${node}`))).toEqual(
    sorted([...plain.bookmarks].map(([id, node]) => `${id} ${plain.now(node)}`)),
  );
  expect(await forest.fsck()).toEqual([]);
}

async function gather<T>(fetch: (after: { after?: string }) => Promise<Page<T>>): Promise<T[]> {
  const items: T[] = [];
  for (let after: string | undefined; ; ) {
    const page = await fetch(after === undefined ? {} : { after });
    items.push(...page.items);
    if (page.next === undefined) return items;
    after = page.next;
  }
}

function messageOf({ raw, dialect }: PlainNode): Message {
  if (dialect === 'openai-chat') return openaiChat.parseMessage(raw);
  if (dialect === 'anthropic-messages') return anthropicMessages.parseMessage(raw);
  const { role, content } = JSON.parse(raw);
  return ours(role, content[0].text);
}

const sorted = (texts: readonly string[]) => [...texts].sort();
