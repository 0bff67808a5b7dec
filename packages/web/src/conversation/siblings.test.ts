import { expect, test } from 'vitest';
import { type Block, type Node, ROOT } from '../api/types.ts';
import { alternatives, groupSiblings } from './siblings.ts';

function node(id: string, blocks: readonly Block[], more: Partial<Node> = {}): Node {
  const base = { parent: 'p', depth: 2, role: 'assistant', at: 0, dialect: 'blocks', takes: [], childCount: 0 };
  return { ...base, id, content: blocks, removed: false, marks: { tags: [] }, ...more } as unknown as Node;
}

const text = (said: string): Block => ({ type: 'text', text: said });
const edited = (from: string): Partial<Node> => ({ parent: ROOT, takes: [{ via: 'edit', from }] as never });

test('siblings that look the same are one position, whatever they thought', () => {
  const thought: Block = { type: 'reasoning', text: 'hm', redacted: false };
  const positions = groupSiblings([
    node('a', [text('Yes')]),
    node('b', [text('No')]),
    node('c', [thought, text('Yes ')]),
  ]);
  expect(positions.map(({ nodes }) => nodes.map(({ id }) => id))).toEqual([['a', 'c'], ['b']]);
});

test('calls with other ids look the same, with other arguments they do not', () => {
  const call = (id: string, rawParameters: string): Block => ({ type: 'tool-use', id, name: 'f', rawParameters });
  const positions = groupSiblings([
    node('a', [call('1', '{"x":1}')]),
    node('b', [call('2', '{"x":1}')]),
    node('c', [call('3', '{"x":2}')]),
  ]);
  expect(positions).toHaveLength(2);
});

test('other conversations are not siblings of a first message, its edits are', () => {
  const first = node('a', [text('A')], { parent: ROOT });
  const children = [
    first,
    node('b', [text('B')], { parent: ROOT }),
    node('c', [text('C')], edited('d')),
    node('d', [text('D')], edited('a')),
  ];
  expect(alternatives(first, children).map(({ id }) => id)).toEqual(['a', 'c', 'd']);
  expect(alternatives(children[2]!, children).map(({ id }) => id)).toEqual(['a', 'c', 'd']);
  expect(alternatives(children[1]!, children).map(({ id }) => id)).toEqual(['b']);
});
