import { ArrowUp } from 'lucide-react';
import { useLayoutEffect, useRef, useState } from 'react';
import { Virtualizer, type VirtualizerHandle } from 'virtua';
import type { Recording } from '../api/types.ts';
import { Button } from '../ui/button.tsx';
import { RecordingRow } from './recording-row.tsx';

export interface RecordingListProps {
  readonly items: readonly Recording[];
  readonly chosen?: string;
  readonly hasMore: boolean;
  readonly onMore: () => void;
}

/** How near to the end more are fetched, in pixels. */
const NEAR = 600;

/** Newest first. What comes new slides in above, and whoever reads further down is not moved. */
export function RecordingList({ items, chosen, hasMore, onMore }: RecordingListProps) {
  const list = useRef<VirtualizerHandle>(null);
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
  const before = useRef(first);
  const isPrepended = before.current !== first;
  useLayoutEffect(() => {
    before.current = first;
    if (!isAway) setSeen(first);
  }, [first, isAway]);
  const scroll = (offset: number) => {
    setAway(offset > 8);
    const { scrollSize = 0, viewportSize = 0 } = list.current ?? {};
    if (hasMore && scrollSize - viewportSize - offset < NEAR) onMore();
  };
  return (
    <div className="relative min-h-0 grow">
      <div ref={scroller} className="h-full overflow-y-auto [overflow-anchor:none]">
        <Virtualizer
          ref={list}
          as="ul"
          item="li"
          scrollRef={scroller}
          data={items}
          itemSize={57}
          shift={isPrepended && isAway}
          onScroll={scroll}
        >
          {(one) => <RecordingRow key={one.id} recording={one} isChosen={one.id === chosen} />}
        </Virtualizer>
      </div>
      {isAway && fresh > 0 && (
        <div className="absolute inset-x-0 top-2 flex justify-center">
          <Button small look="primary" onClick={() => list.current?.scrollTo(0)}>
            <ArrowUp size={14} aria-hidden />
            {fresh} new
          </Button>
        </div>
      )}
    </div>
  );
}
