import { expect, test } from 'vitest';
import type { SessionLane } from '../api/types.ts';
import { placeOnTimeline } from './timeline.ts';

const MINUTE = 60_000;
const lane = (...steps: readonly (readonly [number, number])[]) =>
  ({ steps: steps.map(([at, endedAt]) => ({ at: at * MINUTE, endedAt: endedAt * MINUTE, acts: [] })) }) as never;

test('lanes share one line of time, and a night between two prompts does not squeeze them', () => {
  const lanes: SessionLane[] = [lane([0, 5], [600, 605]), lane([1, 4])];
  const [main, side] = placeOnTimeline(lanes);
  expect(main).toMatchObject([
    { step: 0, from: 0, to: 0.25 },
    { step: 1, from: 0.75, to: 1 },
  ]);
  expect(side).toMatchObject([{ from: 0.05, to: 0.2 }]);
});

test('a session of one moment has a place', () => {
  expect(placeOnTimeline([lane([3, 3])])).toMatchObject([[{ from: 0, to: 0 }]]);
});
