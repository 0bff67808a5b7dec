import { expect, test } from 'vitest';
import type { Block, GenerationEvent } from '../api/types.ts';
import { groupSiblings } from '../conversation/siblings.ts';
import { comparableText } from '../inspector/comparable-text.ts';
import { applyEvent, toLiveGeneration } from '../state/live-generation.ts';
import { summarizeBlocks } from './summary.ts';

// An older page meets a newer server.
const later = { type: 'hologram', depth: 3 } as unknown as Block;

test('a kind of block that this page does not know is shown as JSON wherever blocks become text', () => {
  const json = '{"type":"hologram","depth":3}';
  expect(summarizeBlocks([later])).toBe(json);
  expect(comparableText([later])).toBe(json);
  const node = (id: string, content: readonly Block[]) => ({ id, role: 'assistant', content }) as never;
  expect(groupSiblings([node('a', [later]), node('b', [later]), node('c', [])])).toHaveLength(2);
});

test('a kind of event that this page does not know changes nothing', () => {
  const live = toLiveGeneration({
    id: 'g',
    node: 'n',
    status: 'running',
    branches: [{ head: 'n', status: 'running' }],
    model: 'a/b',
    tools: [],
    owner: 'o',
    startedAt: 0,
  });
  const event = { type: 'hologram-start', branch: 0 } as unknown as GenerationEvent;
  expect(applyEvent(live, event, () => undefined)).toEqual(live);
});
