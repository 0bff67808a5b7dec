import { ArrowUp } from 'lucide-react';
import { useLayoutEffect, useMemo, useRef, useState } from 'react';
import type { Recording } from '../api/types.ts';
import { Button } from '../ui/button.tsx';
import { SCROLLER, VirtualList } from '../ui/virtual-list.tsx';
import { t } from '../words/words.ts';
import { elapsedMs } from './outcome.tsx';
import { RecordingRow } from './recording-row.tsx';

interface RecordingListProps {
  readonly items: readonly Recording[];
  readonly chosen?: string;
  readonly isNarrow: boolean;
  readonly hasMore: boolean;
  readonly onMore: () => void;
}

/** The distance to the end, in pixels, at which the next page is fetched. */
const NEAR = 600;

const ROW_HEIGHT = 57;
function estimateRow(): number {
  return ROW_HEIGHT;
}

/** Recorded calls, newest first. New ones are added above without moving what the reader looks at. */
export function RecordingList({ items, chosen, isNarrow, hasMore, onMore }: RecordingListProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const [isAway, setAway] = useState(false);
  const [seen, setSeen] = useState(items[0]?.id);
  const first = items[0]?.id;
  const fresh =
    seen === undefined
      ? 0
      : Math.max(
          0,
          items.findIndex(({ id }) => id === seen),
        );
  const keys = useMemo(() => items.map(({ id }) => id), [items]);
  useLayoutEffect(() => {
    if (!isAway) setSeen(first);
  }, [first, isAway]);
  const scroll = ({ scrollTop, scrollHeight, clientHeight }: HTMLElement) => {
    setAway(scrollTop > 8);
    if (hasMore && scrollHeight - clientHeight - scrollTop < NEAR) onMore();
  };
  const slowest = Math.max(...items.map((one) => elapsedMs(one) ?? 0), 1);
  return (
    <div className="relative min-h-0 grow">
      <div
        ref={scroller}
        {...SCROLLER}
        onScroll={({ currentTarget }) => scroll(currentTarget)}
        className="h-full overflow-y-auto [overflow-anchor:none]"
      >
        <VirtualList keys={keys} estimate={estimateRow} keepsPlace={isAway}>
          {(index) => (
            <RecordingRow
              recording={items[index]!}
              isChosen={items[index]!.id === chosen}
              slowest={slowest}
              isNarrow={isNarrow}
            />
          )}
        </VirtualList>
      </div>
      {isAway && fresh > 0 && (
        <div className="absolute inset-x-0 top-2 flex justify-center">
          <Button small look="primary" onClick={() => scroller.current?.scrollTo(0, 0)}>
            <ArrowUp size={14} aria-hidden />
            {t('recordings.new', { count: fresh })}
          </Button>
        </div>
      )}
    </div>
  );
}
