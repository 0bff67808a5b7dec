import type { SessionLane, SessionStep } from '../api/types.ts';

/** A bar of the timeline, from 0 to 1 of its width. */
export interface TimelineBar {
  readonly step: number;
  readonly from: number;
  readonly to: number;
  readonly isCompacted: boolean;
}

/** A pause longer than this is drawn as long as this: people sleep between two prompts. */
const LONGEST_PAUSE = 10 * 60_000;

/** Places the steps of all lanes on one line of time, without the time in which nothing happened. */
export function placeOnTimeline(lanes: readonly SessionLane[]): readonly (readonly TimelineBar[])[] {
  const moments = [...new Set(lanes.flatMap(({ steps }) => steps.flatMap(momentsOf)))].sort((a, b) => a - b);
  const places = new Map<number, number>();
  let at = 0;
  for (const [index, moment] of moments.entries()) {
    at += index === 0 ? 0 : Math.min(LONGEST_PAUSE, moment - moments[index - 1]!);
    places.set(moment, at);
  }
  const whole = at || 1;
  return lanes.map(({ steps }) =>
    steps.map((step, index) => ({
      step: index,
      from: places.get(step.at)! / whole,
      to: places.get(step.endedAt)! / whole,
      isCompacted: step.compacted !== undefined,
    })),
  );
}

function momentsOf({ at, endedAt, acts }: SessionStep): number[] {
  return [at, ...acts.map((act) => act.at), endedAt];
}
