import { ChevronRight } from 'lucide-react';
import type { ReactNode } from 'react';
import type { Thread } from '../api/types.ts';
import type { GroupRow } from '../state/thread-rows.ts';
import { t } from '../words/words.ts';

interface GroupToggleProps {
  readonly isOpen: boolean;
  readonly onChange: (isOpen: boolean) => void;
  readonly className: string;
  readonly isHere?: boolean;
  readonly children: ReactNode;
}

/** A row that a click, Enter, or the right and left arrows unfold and fold. */
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
      <ChevronRight size={14} aria-hidden className={`w-4 shrink-0 text-faint ${isOpen ? 'rotate-90' : ''}`} />
      {children}
    </button>
  );
}

interface GroupSummary {
  readonly what: GroupRow['what'];
  readonly members: readonly Pick<Thread, 'part'>[];
}

/** Describes the conversations that a group row stands for. */
export function describeGroup({ what, members }: GroupSummary): string {
  if (what === 'opening') return t('threads.same-opening', { count: members.length });
  if (what === 'side') return t('threads.side-calls-count', { count: members.length });
  const side = members.filter(({ part }) => part === 'side').length;
  const subagents = members.filter(({ part }) => part === 'subagent').length;
  const main = members.length - side - subagents;
  const parts = [
    ...(main > 0 ? [t('threads.conversations-count', { count: main })] : []),
    ...(subagents > 0 ? [t('threads.subagents-count', { count: subagents })] : []),
    ...(side > 0 ? [t('threads.side-calls-count', { count: side })] : []),
  ];
  return t('threads.session-parts', { parts: parts.join(', ') });
}
