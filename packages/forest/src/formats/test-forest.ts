/** Forests grown from random numbers, for round trips. */
import { anthropicMessages, assistant, type Message, openaiChat, system, toolResult, user } from '@skein/core';
import fc from 'fast-check';
import { createForest, type Forest, memoryStore } from '../index.ts';

/** Not blank: of that the older layout knows nothing. */
const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 }).filter((said) => said.trim() !== '');
const parameters = fc.dictionary(fc.string({ maxLength: 4 }), fc.oneof(fc.integer(), fc.string(), fc.constant(null)));

/** Messages that the older layout has words for. */
export const plainMessage: fc.Arbitrary<Message> = fc.oneof(
  text.map((said) => user(said)),
  text.map((said) => assistant(said)),
  fc.tuple(text, parameters).map(([said, input]) =>
    assistant([
      { type: 'text', text: said },
      { type: 'tool-use', id: 'call_1', name: 'f', parameters: {}, rawParameters: JSON.stringify(input) },
    ]),
  ),
  text.map((said) => toolResult('call_1', said)),
);

const anyMessage: fc.Arbitrary<Message> = fc.oneof(
  plainMessage,
  text.map((said) => system(said)),
  text.map((said) =>
    openaiChat.parseMessage(`{"role":"assistant", "content":${JSON.stringify(said)},"n":1.0}`, { model: 'm' }),
  ),
  text.map((said) =>
    anthropicMessages.parseMessage(
      JSON.stringify({
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: said, signature: 's' },
          { type: 'text', text: said },
        ],
      }),
    ),
  ),
);

export interface Plant {
  /** Below which of the nodes so far; 0 is the root. */
  readonly below: number;
  readonly message: Message;
  readonly at: number;
  readonly then: 'nothing' | 'thread' | 'bookmark' | 'tag' | 'remove' | 'edit' | 'graft';
}

const plantsOf = (message: fc.Arbitrary<Message>, then: fc.Arbitrary<Plant['then']>) =>
  fc.array(fc.record({ below: fc.nat(20), message, at: fc.integer({ min: 1, max: 2 ** 41 }), then }), {
    minLength: 1,
    maxLength: 15,
  });

export const anyPlants = plantsOf(
  anyMessage,
  fc.constantFrom('nothing', 'thread', 'bookmark', 'tag', 'remove', 'edit', 'graft'),
);
export const plainPlants = plantsOf(plainMessage, fc.constantFrom('nothing', 'bookmark', 'tag'));

export async function grow(plants: readonly Plant[]): Promise<Forest> {
  const forest = createForest(memoryStore());
  const nodes = ['root'];
  for (const { below, message, at, then } of plants) {
    const id = await forest.append(nodes[below % nodes.length]!, [message], { at, extra: { at } });
    nodes.push(id);
    // What is refused, such as removing above a bookmark, has no effect.
    await act(forest, id, then, nodes).catch(() => undefined);
  }
  return forest;
}

async function act(forest: Forest, id: string, then: Plant['then'], nodes: readonly string[]): Promise<unknown> {
  if (then === 'thread') return forest.threads.create({ head: id, title: 'T' });
  if (then === 'bookmark') return forest.bookmarks.add(id, 'B');
  if (then === 'tag') return forest.tag(id, { t: true });
  if (then === 'remove') return forest.remove(id);
  if (then === 'edit') return forest.edit(id, 'edited');
  if (then === 'graft') return forest.graft(id, nodes[1]!);
  return undefined;
}

/** Everything that a store has, in an order of its own. */
export async function recordsIn({ store }: Forest) {
  const all = { limit: Number.MAX_SAFE_INTEGER };
  const { items: nodes } = await store.scan(all);
  const refs = (['thread', 'node', 'bookmark', 'forest', 'older'] as const).map((on) => store.refs({ on, ...all }));
  const byText = (a: object, b: object) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1);
  return {
    nodes: nodes.toSorted(byText),
    bodies: new Map(await Promise.all(nodes.map(async ({ body }) => [body, (await store.bodies([body]))[0]] as const))),
    takes: (await store.takes(nodes.map(({ id }) => id))).toSorted(byText),
    refs: (await Promise.all(refs)).flatMap(({ items }) => items).toSorted(byText),
  };
}
