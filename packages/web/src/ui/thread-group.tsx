import { ChevronRight } from 'lucide-react';
import type { ReactNode } from 'react';
import type { Thread } from '../api/types.ts';
import type { GroupRow } from '../state/thread-rows.ts';
import { pluralize } from './format.ts';

interface GroupToggleProps {
  readonly isOpen: boolean;
  readonly onChange: (isOpen: boolean) => void;
  readonly className: string;
  readonly isHere?: boolean;
  readonly children: ReactNode;
}

/** A row that unfolds, by a click, Enter, or the right and left arrow. */
export function GroupToggle({ isOpen, onChange, className, isHere = false, children }: GroupToggleProps) {
  return (
    <button
      type="button"
      data-title
      aria-expanded={isOpen}
      {...(isHere && { 'aria-current': 'true' as const })}
      onClick={() => onChange(!isOpen)}
      onKeyDown={(event) => {
        if (event.key !== 'ArrowRight' && event.key !== 'ArrowLeft') return;
        event.preventDefault();
        onChange(event.key === 'ArrowRight');
      }}
      className={className}
    >
      <ChevronRight size={14} aria-hidden className={`shrink-0 text-faint ${isOpen ? 'rotate-90' : ''}`} />
      {children}
    </button>
  );
}

interface Named {
  readonly what: GroupRow['what'];
  readonly members: readonly Pick<Thread, 'part'>[];
}

/** What a row stands for, in words. */
export function describeGroup({ what, members }: Named): string {
  if (what === 'opening') return `${members.length} that begin like this`;
  if (what === 'side') return pluralize(members.length, 'side call');
  const side = members.filter(({ part }) => part === 'side').length;
  const subagents = members.filter(({ part }) => part === 'subagent').length;
  const main = members.length - side - subagents;
  const parts = [
    ...(main > 0 ? [pluralize(main, 'conversation')] : []),
    ...(subagents > 0 ? [pluralize(subagents, 'subagent')] : []),
    ...(side > 0 ? [pluralize(side, 'side call')] : []),
  ];
  return `Session: ${parts.join(', ')}`;
}
