import { ChevronRight } from 'lucide-react';
import type { ReactNode } from 'react';

export interface GroupToggleProps {
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
