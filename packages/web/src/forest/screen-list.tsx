import { type ReactElement, useLayoutEffect, useRef, useState } from 'react';
import { Virtualizer } from 'virtua';

/** A long list in the middle of the screen: only what is seen is drawn, and the whole screen scrolls. */
export function ScreenList<T>({
  items,
  itemSize,
  children,
}: {
  readonly items: readonly T[];
  readonly itemSize: number;
  readonly children: (item: T) => ReactElement;
}) {
  const holder = useRef<HTMLDivElement>(null);
  const scroller = useRef<HTMLElement | null>(null);
  const [start, setStart] = useState<number>();
  useLayoutEffect(() => {
    scroller.current = document.getElementById('forest-scroll');
    const measure = () => {
      const outer = scroller.current;
      if (holder.current && outer)
        setStart(holder.current.getBoundingClientRect().top - outer.getBoundingClientRect().top + outer.scrollTop);
    };
    measure();
    const observer = new ResizeObserver(measure);
    // What is above it may grow: an import, the filters.
    if (holder.current?.parentElement?.parentElement) observer.observe(holder.current.parentElement.parentElement);
    return () => observer.disconnect();
  }, []);
  return (
    <div ref={holder} className="rounded-lg border border-line bg-surface">
      {start !== undefined && (
        <Virtualizer as="ul" item="li" scrollRef={scroller} startMargin={start} data={items} itemSize={itemSize}>
          {children}
        </Virtualizer>
      )}
    </div>
  );
}
