import { expect, test } from 'vitest';
import { type Block, type Node, ROOT } from '../api/types.ts';
import type { LiveGeneration } from '../state/live-generation.ts';
import { alternatives, groupSiblings, liveBranchesBelow } from './siblings.ts';

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

test('a branch that ended without a word is one of the ways to go on, until another is asked for', () => {
  const branch = { head: 'p', status: 'aborted', blocks: [], running: new Map(), notices: [] } as const;
  const live: LiveGeneration = { id: 'g', node: 'p', model: 'a/b', status: 'aborted', branches: [branch] };
  const later: LiveGeneration = {
    ...live,
    id: 'h',
    status: 'done',
    branches: [{ ...branch, head: 'q', status: 'done' }],
  };
  expect(liveBranchesBelow('p', [live], [])).toEqual([{ nodes: [], live: { generation: 'g', branch: 0 } }]);
  expect(liveBranchesBelow('p', [live, later], [])).toEqual([]);
});

test('a branch whose message is here already is not counted twice', () => {
  const branch = { head: 'p', status: 'running', blocks: [], running: new Map(), notices: [] } as const;
  const live: LiveGeneration = {
    id: 'g',
    node: 'p',
    model: 'a/b',
    status: 'running',
    branches: [branch, branch, branch],
  };
  const arrived = node('a', [text('A')], { takes: [{ generation: 'g', cut: false }] as never });
  const branches = (children: readonly Node[], shown?: number) =>
    liveBranchesBelow('p', [live], children, shown === undefined ? undefined : { generation: 'g', branch: shown }).map(
      (one) => one.live?.branch,
    );
  expect(branches([])).toEqual([0, 1, 2]);
  expect(branches([arrived])).toEqual([1, 2]);
  expect(branches([arrived], 0)).toEqual([0, 2]);
  const cut = node('c', [text('C')], { takes: [{ generation: 'g', cut: true }] as never });
  expect(branches([cut])).toEqual([0, 1, 2]);
});
