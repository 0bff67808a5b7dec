import { ListFilter, X } from 'lucide-react';
import { type ReactNode, useId, useState } from 'react';
import { t } from '../words/words.ts';
import { Button } from './button.tsx';
import { useNarrow } from './use-media.ts';

interface FilterBarProps {
  readonly label: string;
  /** Always shown. */
  readonly first?: ReactNode;
  /** Shown where there is room, and on a phone when they are asked for. */
  readonly children: ReactNode;
  /** Shown only when they are asked for. */
  readonly more?: ReactNode;
  /** How many filters are set, and how many of `more`. */
  readonly count: number;
  readonly moreCount?: number;
  readonly onClear?: () => void;
  /** Whether there is as little room as on a phone, also in a wide window. */
  readonly isCompact?: boolean;
}

/** The filters of a list. Those that do not fit are one button away, which says how many of them are set. */
export function FilterBar(props: FilterBarProps) {
  const { label, first, children, more, count, moreCount = 0, onClear, isCompact = false } = props;
  const isNarrow = useNarrow() || isCompact;
  const [isAsked, setAsked] = useState(false);
  const id = useId();
  const isOpen = isAsked || (!isNarrow && moreCount > 0);
  const hidden = isNarrow ? count : moreCount;
  return (
    <div role="toolbar" aria-label={label} className="flex min-h-8 flex-wrap items-center gap-2">
      {first}
      {!isNarrow && children}
      {(isNarrow || more) && (
        <Button aria-expanded={isOpen} aria-controls={id} onClick={() => setAsked(!isOpen)}>
          <ListFilter size={14} aria-hidden />
          {isNarrow ? t('ui.filters') : t('ui.more-filters')}
          {hidden > 0 && <span className="rounded-full bg-accent-soft px-1.5 text-xs text-accent">{hidden}</span>}
        </Button>
      )}
      {count > 0 && onClear && (
        <Button look="quiet" onClick={onClear}>
          <X size={14} aria-hidden /> {t('ui.no-filters')}
        </Button>
      )}
      <div
        id={id}
        hidden={!isOpen}
        className="flex w-full flex-wrap gap-2 max-sm:grid max-sm:grid-cols-2 [&[hidden]]:hidden"
      >
        {isOpen && isNarrow && children}
        {isOpen && more}
      </div>
    </div>
  );
}
