import { expect, test } from 'vitest';
import type { Generation, GenerationEvent, Node } from '../api/types.ts';
import {
  applyEvent,
  type LiveGeneration,
  resumeBranch,
  toInterruptedGeneration,
  toLiveGeneration,
  toOutline,
} from './live-generation.ts';

const generation = {
  id: 'g',
  node: 'asked',
  model: 'a/b',
  status: 'running',
  branches: [
    { head: 'later', status: 'running' },
    { head: 'asked', status: 'running' },
  ],
} as unknown as Generation;

const nodes: Readonly<Record<string, Pick<Node, 'parent' | 'takes'>>> = {
  whole: { parent: 'asked', takes: [{ cut: false }] as never },
  cut: { parent: 'asked', takes: [{ cut: true }] as never },
};
const nodeOf = (id: string) => nodes[id];

function told(...events: readonly GenerationEvent[]): LiveGeneration {
  return events.reduce((live, event) => applyEvent(live, event, nodeOf), toLiveGeneration(generation));
}

const ended = (status: string, head: string, more = {}): GenerationEvent =>
  ({ type: 'branch-end', branch: 0, state: { status, head, ...more } }) as never;

test('one that runs is told from its beginning, one that ended from where it is', () => {
  expect(toLiveGeneration(generation).branches.map(({ head }) => head)).toEqual(['asked', 'asked']);
  expect(toLiveGeneration({ ...generation, status: 'aborted' }).branches[0]?.head).toBe('later');
});

test('pieces of one kind grow together, those of another follow; other branches are left alone', () => {
  const { branches } = told(
    { branch: 0, type: 'reasoning', text: 'Hm' },
    { branch: 0, type: 'text', text: 'Yes' },
    { branch: 0, type: 'text', text: '.' },
  );
  expect(branches[0]?.blocks).toEqual([
    { type: 'reasoning', text: 'Hm', redacted: false, since: expect.any(Number), until: expect.any(Number) },
    { type: 'text', text: 'Yes.' },
  ]);
  expect(branches[1]?.blocks).toEqual([]);
});

test('arguments of calls that come side by side go to their own call', () => {
  const { branches } = told(
    { branch: 0, type: 'tool-use', index: 0, id: 'c1', name: 'f' },
    { branch: 0, type: 'tool-use', index: 1, id: 'c2', name: 'g' },
    { branch: 0, type: 'tool-arguments', index: 0, text: '{"a"' },
    { branch: 0, type: 'tool-arguments', index: 1, text: '{}' },
    { branch: 0, type: 'tool-arguments', index: 0, text: ':1}' },
  );
  expect(branches[0]?.blocks).toMatchObject([{ rawParameters: '{"a":1}' }, { rawParameters: '{}' }]);
});

test('a whole message takes the place of its pieces, and tools run until they gave a result', () => {
  const running = told(
    { branch: 0, type: 'text', text: 'Yes' },
    { branch: 0, type: 'message', node: 'whole' },
    { branch: 0, type: 'tool-start', callId: 'c1', name: 'f' },
  );
  expect(running.branches[0]).toMatchObject({ head: 'whole', blocks: [], running: new Map([['c1', 'f']]) });
  const done = applyEvent(running, { branch: 0, type: 'tool-result', callId: 'c1', name: 'f' }, nodeOf);
  expect(done.branches[0]?.running.size).toBe(0);
});

test('a retry is told until words or a call come, or it is over', () => {
  const waiting = told({ branch: 0, type: 'retry', attempt: 2, waitMs: 1500, reason: 'overloaded' });
  expect(waiting.branches[0]?.retry).toEqual({ at: expect.any(Number), reason: 'overloaded' });
  for (const event of [
    { branch: 0, type: 'text', text: 'A' },
    { branch: 0, type: 'tool-use', index: 0, id: 'c1', name: 'f' },
    ended('failed', 'asked'),
  ] as const)
    expect(applyEvent(waiting, event, nodeOf).branches[0]).not.toHaveProperty('retry');
});

test('what waits or failed says so, until it goes on', () => {
  const pending = [{ id: 'c1', name: 'f', rawParameters: '{}' }];
  const waiting = told(ended('waiting', 'whole', { pending }), { branch: 0, type: 'end', status: 'waiting' });
  expect(waiting).toMatchObject({ status: 'waiting', branches: [{ status: 'waiting', pending }, {}] });
  const [again] = applyEvent(waiting, { branch: 0, type: 'text', text: 'A' }, nodeOf).branches;
  expect(again).toMatchObject({ status: 'running', head: 'whole' });
  expect(again).not.toHaveProperty('pending');
});

test('what is taken up goes on beside what was cut, behind what is whole, and not where it is done', () => {
  const head = (...args: Parameters<typeof ended>) => resumeBranch(told(ended(...args)).branches[0]!, nodeOf);
  expect(head('aborted', 'cut')).toMatchObject({ head: 'asked', status: 'running' });
  expect(head('aborted', 'whole')).toMatchObject({ head: 'whole', status: 'running' });
  expect(head('done', 'whole')).toMatchObject({ head: 'whole', status: 'done' });
});

test('one whose process died in the middle of a message has what came of it, and begins anew when it goes on', () => {
  const events: readonly GenerationEvent[] = [
    { branch: 0, type: 'text', text: 'Yes' },
    { branch: 0, type: 'message', node: 'later' },
    { branch: 0, type: 'text', text: 'And' },
    { branch: 0, type: 'end', status: 'aborted' },
  ];
  const branches = generation.branches.map((branch) => ({ ...branch, status: 'aborted' as const }));
  const died = toInterruptedGeneration({ ...generation, status: 'aborted', branches }, events, nodeOf);
  expect(died.branches[0]).toMatchObject({ head: 'later', status: 'aborted', blocks: [{ type: 'text', text: 'And' }] });
  expect(told(...events).branches[0]).toEqual(died.branches[0]);
  expect(resumeBranch(died.branches[0]!, nodeOf)).toMatchObject({ status: 'running', blocks: [] });
});

test('text that streams leaves the outline as it is, so that only the text is rendered again', () => {
  const first = told({ type: 'text', branch: 0, text: 'One' } as GenerationEvent);
  const outline = toOutline(first);
  expect(outline.branches[0]).not.toHaveProperty('blocks');
  const grown = applyEvent(first, { type: 'text', branch: 0, text: ' two' } as GenerationEvent, nodeOf);
  expect(toOutline(grown, outline)).toBe(outline);
  const waiting = applyEvent(grown, { type: 'retry', branch: 0, waitMs: 5, reason: 'busy' } as GenerationEvent, nodeOf);
  const changed = toOutline(waiting, outline);
  expect(changed.branches[0]!.retry).toMatchObject({ reason: 'busy' });
  expect(changed.branches[1]).toBe(outline.branches[1]);
});
