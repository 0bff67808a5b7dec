import { ChevronRight } from 'lucide-react';
import type { ReactNode } from 'react';

export interface FoldProps {
  readonly isOpen: boolean;
  readonly onToggle: () => void;
  /** One line. */
  readonly summary: ReactNode;
  readonly label: string;
  readonly children: ReactNode;
  readonly tone?: 'plain' | 'danger';
}

/** A card that shows one line and opens to its content. */
export function Foldable({ isOpen, onToggle, summary, label, children, tone = 'plain' }: FoldProps) {
  return (
    <article
      aria-label={label}
      className={`my-2 min-w-0 overflow-hidden rounded-xl border bg-surface ${tone === 'danger' ? 'border-danger/50' : 'border-line'}`}
    >
      <button
        type="button"
        aria-expanded={isOpen}
        onClick={onToggle}
        className="flex min-h-8 pointer-coarse:min-h-10 w-full items-center py-1 gap-2 px-2 text-left text-xs text-soft hover:bg-hover"
      >
        <ChevronRight size={14} aria-hidden className={`shrink-0 ${isOpen ? 'rotate-90' : ''}`} />
        <span className="flex min-w-0 grow items-center gap-2">{summary}</span>
      </button>
      {isOpen && <div className="border-t border-line">{children}</div>}
    </article>
  );
}
