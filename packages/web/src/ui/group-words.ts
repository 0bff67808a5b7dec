import type { GroupRow } from '../api/fold-threads.ts';
import type { Thread } from '../api/types.ts';
import { counted } from './format.ts';

interface Named {
  readonly what: GroupRow['what'];
  readonly members: readonly Pick<Thread, 'part'>[];
}

/** What a row stands for, in words. */
export function groupInWords({ what, members }: Named): string {
  if (what === 'opening') return `${members.length} that begin like this`;
  if (what === 'side') return counted(members.length, 'side call');
  const side = members.filter(({ part }) => part === 'side').length;
  const subagents = members.filter(({ part }) => part === 'subagent').length;
  const main = members.length - side - subagents;
  const parts = [
    ...(main > 0 ? [counted(main, 'conversation')] : []),
    ...(subagents > 0 ? [counted(subagents, 'subagent')] : []),
    ...(side > 0 ? [counted(side, 'side call')] : []),
  ];
  return `Session: ${parts.join(', ')}`;
}
