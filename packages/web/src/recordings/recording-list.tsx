import { ArrowUp } from 'lucide-react';
import { useLayoutEffect, useRef, useState } from 'react';
import { Virtualizer, type VirtualizerHandle } from 'virtua';
import type { Recording } from '../api/types.ts';
import { Button } from '../ui/button.tsx';
import { drawInFrame, VirtualRows } from '../ui/virtual-rows.tsx';
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

/** Recorded calls, newest first. New ones are added above without moving what the reader looks at. */
export function RecordingList({ items, chosen, isNarrow, hasMore, onMore }: RecordingListProps) {
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
  const slowest = Math.max(...items.map((one) => elapsedMs(one) ?? 0), 1);
  return (
    <div className="relative min-h-0 grow">
      <div ref={scroller} onScrollCapture={drawInFrame} className="h-full overflow-y-auto [overflow-anchor:none]">
        <Virtualizer
          ref={list}
          as={VirtualRows}
          item="li"
          scrollRef={scroller}
          data={items}
          itemSize={57}
          shift={isPrepended && isAway}
          onScroll={scroll}
        >
          {(one) => (
            <RecordingRow
              key={one.id}
              recording={one}
              isChosen={one.id === chosen}
              slowest={slowest}
              isNarrow={isNarrow}
            />
          )}
        </Virtualizer>
      </div>
      {isAway && fresh > 0 && (
        <div className="absolute inset-x-0 top-2 flex justify-center">
          <Button small look="primary" onClick={() => list.current?.scrollTo(0)}>
            <ArrowUp size={14} aria-hidden />
            {t('recordings.new', { count: fresh })}
          </Button>
        </div>
      )}
    </div>
  );
}
