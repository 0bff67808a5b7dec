import { type RefObject, useEffect, useLayoutEffect, useRef, useState } from 'react';
import type { VirtualizerHandle } from 'virtua';

/** So near to the end counts as at the end, in pixels. */
const NEAR = 48;
/** The view rests when it has not moved for so long, in milliseconds. */
const RESTING_MS = 120;

export interface Scrolled {
  readonly scroller: RefObject<HTMLDivElement | null>;
  readonly list: RefObject<VirtualizerHandle | null>;
  readonly selectedAt: number;
  readonly count: number;
  readonly isAtLeaf: boolean;
}

/**
 * Keeps what is read in its place: follows what grows only at the end, brings a selected message into sight, and never
 * lets the view slide because what is below it became shorter.
 */
export function useScrolling({ scroller, list, selectedAt, count, isAtLeaf }: Scrolled) {
  const [isAtEnd, setAtEnd] = useState(true);
  const follows = useRef(isAtLeaf);

  useEffect(() => {
    const box = scroller.current!;
    const content = box.firstElementChild as HTMLElement;
    let resting: ReturnType<typeof setTimeout> | undefined;
    let lastTop = box.scrollTop;
    const isNear = () => box.scrollHeight - box.scrollTop - box.clientHeight < NEAR;
    const look = () => {
      // What grows takes the end away; only who scrolls up goes away from it.
      if (isNear()) follows.current = true;
      else if (box.scrollTop < lastTop) follows.current = false;
      lastTop = box.scrollTop;
      setAtEnd(follows.current);
      clearTimeout(resting);
      resting = setTimeout(keepRoom, RESTING_MS);
    };
    // The room that is in sight stays, also when a shorter branch takes the place of a longer one.
    const keepRoom = () => {
      content.style.minHeight = `${box.scrollTop + box.clientHeight}px`;
    };
    const grown = new ResizeObserver(() => {
      if (follows.current) box.scrollTop = box.scrollHeight;
      else setAtEnd(isNear());
    });
    grown.observe(content);
    grown.observe(box);
    box.addEventListener('scroll', look, { passive: true });
    return () => {
      clearTimeout(resting);
      grown.disconnect();
      box.removeEventListener('scroll', look);
    };
  }, [scroller]);

  const before = useRef<number>(undefined);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only another selection moves the view
  useLayoutEffect(() => {
    const isFirst = before.current === undefined;
    const isSame = before.current === selectedAt;
    before.current = selectedAt;
    if (isSame) return;
    if (isFirst) list.current?.scrollToIndex(isAtLeaf ? count - 1 : selectedAt, { align: isAtLeaf ? 'end' : 'start' });
    else if (selectedAt === 0) list.current?.scrollTo(0);
    else if (!isAtLeaf || !follows.current) list.current?.scrollToIndex(selectedAt, { align: 'nearest' });
    else scroller.current!.scrollTop = scroller.current!.scrollHeight;
  }, [selectedAt]);

  const toEnd = () => {
    follows.current = true;
    list.current?.scrollToIndex(count - 1, { align: 'end' });
  };
  return { isAtEnd, toEnd };
}
