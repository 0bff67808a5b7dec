import { CallTracker } from '../../dialects/write/tool-calls.ts';
import type { Message } from '../../message/index.ts';
import { leadingSystem } from './checkpoint.ts';

/**
 * Where a history may be cut, ascending: before what a user says, with the user and system messages right before
 * that, and only where no result behind the cut answers a call before it.
 */
export function cutPoints(messages: readonly Message[]): readonly number[] {
  const crossed = crossings(messages);
  const cuts: number[] = [];
  let opening: number | undefined;
  for (let index = leadingSystem(messages) + 1; index < messages.length; index++) {
    const message = messages[index]!;
    if (!opens(message)) {
      opening = undefined;
      continue;
    }
    if (opening === undefined) opening = opens(messages[index - 1]!) ? -1 : index;
    // Messages in a row open one turn; those that open the history have nothing before them.
    if (message.role !== 'user' || opening < 0) continue;
    if (!crossed[opening]) cuts.push(opening);
    opening = -1;
  }
  return cuts;
}

function opens({ role, facts }: Message): boolean {
  return role === 'system' || (role === 'user' && facts.results.length === 0);
}

/** For each index, whether a call before it has a result at or behind it. */
function crossings(messages: readonly Message[]): readonly boolean[] {
  const tracker = new CallTracker();
  /** By the call's id. */
  const madeAt = new Map<string, number>();
  const crossed: boolean[] = messages.map(() => false);
  messages.forEach((message, index) => {
    const { calls, results } = message.facts;
    if (calls.length === 0 && results.length === 0) return;
    const found = tracker.next(message, false);
    for (const id of results) {
      const call = found.find(id);
      const made = call && madeAt.get(call.id);
      if (made !== undefined) crossed.fill(true, made + 1, index + 1);
    }
    for (const { id } of calls) madeAt.set(id, index);
  });
  return crossed;
}
