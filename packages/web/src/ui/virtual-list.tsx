import { type ReactElement, type Ref, useImperativeHandle, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { createRowHeights } from './row-heights.ts';

/** The element that scrolls a list has this attribute; it may contain more than the list. */
export const SCROLLER = { 'data-scroller': '' };

export interface VirtualListHandle {
  scrollToIndex(index: number, align: Align): void;
  /** Scrolls to a row of which nothing is on screen. */
  show(index: number): void;
}

type Align = 'start' | 'end' | 'nearest';

interface VirtualListProps {
  readonly as?: 'ul' | 'ol' | 'div';
  readonly className?: string;
  /** Each row has one. Rows are remembered by it. */
  readonly keys: readonly string[];
  /** The height of a row that was not drawn yet, in pixels. */
  readonly estimate: (index: number) => number;
  /** A row that stays drawn wherever the list is scrolled to, such as one with a field. */
  readonly kept?: number | undefined;
  /** What is on screen stays where it is when rows come before it. */
  readonly keepsPlace?: boolean;
  /** What is on screen stays where it is when what a person does makes the rows below shorter: an empty room takes their place. */
  readonly keepsRoom?: boolean;
  readonly ref?: Ref<VirtualListHandle>;
  readonly children: (index: number) => ReactElement;
}

/** When less than this is drawn beyond what is on screen, more is drawn: `AHEAD`, both in pixels. */
const LEAST_AHEAD = 120;
const AHEAD = 360;
/** The time without scrolling, in milliseconds, after which the list is at rest. */
const RESTING_MS = 150;

/**
 * A long list of which only the rows near the screen are drawn. They are ordinary rows, one below the other, behind an empty space
 * of the height of those before them.
 *
 * A row is measured when it is first drawn. If one above the screen is not as high as estimated, the space before the rows takes up
 * the difference, `shift`, so what is on screen stays in its place without scrolling; the space is put right when the list rests.
 */
export function VirtualList(props: VirtualListProps) {
  const { as: Container = 'ul', className = '', keys, kept, children } = props;
  const box = useRef<HTMLElement>(null);
  const latest = useRef(props);
  const [[from, to], setRange] = useState<Range>(NOTHING);
  const list = useMemo(() => createList(latest, box, setRange), []);
  latest.current = props;
  list.setKeys(keys);
  useLayoutEffect(() => list.attach(), [list]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: whenever rows were drawn or replaced
  useLayoutEffect(() => list.afterDrawing(), [list, from, to, keys, kept]);
  useImperativeHandle(props.ref, () => list, [list]);

  const isApart = (index: number) => index < from || index >= to;
  const indices: number[] = [];
  for (let index = from; index < Math.min(to, keys.length); index++) indices.push(index);
  const apart = new Set(
    [...list.aroundFocus(), kept ?? -1].filter((index) => isApart(index) && keys[index] !== undefined),
  );
  // In their order, which is that of the Tab key and of screen readers.
  if (apart.size > 0) indices.push(...apart);
  indices.sort((a, b) => a - b);
  return (
    <Container ref={box as never} className={`relative box-border [contain:size_layout_style] ${className}`}>
      {indices.map((index) => {
        const Row = Container === 'div' ? 'div' : 'li';
        return (
          <Row
            key={keys[index]}
            data-index={index}
            {...(Row === 'li' && { 'aria-posinset': index + 1, 'aria-setsize': keys.length })}
            className={`block w-full [contain:layout_style] ${isApart(index) ? 'absolute left-0' : ''}`}
          >
            {children(index)}
          </Row>
        );
      })}
    </Container>
  );
}

type Range = readonly [from: number, to: number];
const NOTHING: Range = [0, 0];

interface Latest {
  readonly current: VirtualListProps;
}

/** The distance of a list from the beginning of what scrolls. */
function startOf(list: HTMLElement, scroller: HTMLElement): number {
  return list.getBoundingClientRect().top - scroller.getBoundingClientRect().top + scroller.scrollTop;
}

/** What is known of a list between drawings, and what is done when it is scrolled or a row is measured. */
function createList(latest: Latest, holder: { readonly current: HTMLElement | null }, draw: (range: Range) => void) {
  const heights = createRowHeights();
  let keys: readonly string[] = [];
  let range = NOTHING;
  /** How far the rows stand below the place that their heights give them. */
  let shift = 0;
  /** The list is at least this high. */
  let room = 0;
  /** The distance of the list from the beginning of what scrolls. */
  let start = 0;
  let lastTop = 0;
  let isUp = false;
  let scroller: HTMLElement | undefined;
  let aim: { readonly index: number; readonly align: Align } | undefined;
  let resting: ReturnType<typeof setTimeout> | undefined;
  const watched = new Set<Element>();
  /** The row that had the focus when rows were last drawn or replaced, or -1. */
  let held = -1;
  const total = () => heights.offsetOf(keys.length);
  /** Where a row begins and ends in what scrolls. */
  const edges = (index: number): readonly [number, number] => [
    start + shift + heights.offsetOf(index),
    start + shift + heights.offsetOf(index + 1),
  ];

  const sizes = new ResizeObserver((entries) => {
    if (!scroller || scroller.clientHeight === 0) return;
    let isChanged = false;
    const top = scroller.scrollTop;
    for (const { target, borderBoxSize } of entries) {
      if (watched.has(target))
        isChanged = measure(target as HTMLElement, borderBoxSize[0]!.blockSize, top) || isChanged;
    }
    start = startOf(holder.current!, scroller);
    if (isChanged) place();
    if (isChanged && aim) reach();
    update(true);
  });

  /** Notes the height of a row. What stands below a row above the screen stays where it is. */
  const measure = (row: HTMLElement, height: number, top: number): boolean => {
    const index = Number(row.dataset.index);
    if (keys[index] === undefined || height === 0) return false;
    const [begin, end] = edges(index);
    const isNew = !heights.isMeasured(index);
    const more = heights.measure(index, height);
    if (more === 0) return false;
    if (!aim && (end <= top || (isNew && isUp && begin < top))) shift -= more;
    return true;
  };

  /** Gives the rows their place: an empty space before them, and one behind them. */
  const place = () => {
    const box = holder.current;
    if (!box) return;
    const from = heights.offsetOf(Math.min(range[0], keys.length));
    if (shift !== 0 && (range[0] === 0 || from + shift < 0)) return settle();
    box.style.paddingTop = `${from + shift}px`;
    box.style.height = `${Math.max(total() + shift, room)}px`;
    for (const apart of box.querySelectorAll<HTMLElement>(':scope > .absolute'))
      apart.style.top = `${heights.offsetOf(Number(apart.dataset.index)) + shift}px`;
  };

  /** Puts the space before the rows right, and scrolls by as much, so nothing moves on screen. */
  const settle = () => {
    if (shift === 0 || !scroller) return;
    const by = shift;
    shift = 0;
    room -= by;
    place();
    scroller.scrollTop -= by;
    lastTop = scroller.scrollTop;
  };

  /** The row that has the focus, or -1. */
  const focusedRow = (): number => {
    const active = document.activeElement;
    const box = holder.current;
    if (!active || !box?.contains(active)) return -1;
    const row = active.closest<HTMLElement>('[data-index]');
    return row?.parentElement === box ? Number(row.dataset.index) : -1;
  };

  /** Draws other rows if what is drawn ends near the screen. */
  const update = (isNow: boolean) => {
    if (!scroller || scroller.clientHeight === 0) return;
    const above = scroller.scrollTop - start - shift;
    const below = above + scroller.clientHeight;
    const [from, to] = range.map((at) => Math.min(at, keys.length)) as [number, number];
    const isCovered =
      to > from &&
      (from === 0 || heights.offsetOf(from) <= above - LEAST_AHEAD) &&
      (to === keys.length || heights.offsetOf(to) >= below + LEAST_AHEAD);
    if (isCovered) return;
    const next: Range = [heights.indexAt(above - AHEAD), Math.min(keys.length, heights.indexAt(below + AHEAD) + 1)];
    if (next[0] === range[0] && next[1] === range[1]) return;
    range = next;
    held = focusedRow();
    if (isNow) flushSync(() => draw(next));
    else draw(next);
  };

  /** Scrolls to the row that was asked for; again when rows on the way turn out to be of another height. */
  const reach = () => {
    if (!aim || !scroller) return;
    shift = 0;
    place();
    const [begin, end] = [heights.offsetOf(aim.index) + start, heights.offsetOf(aim.index + 1) + start];
    scroller.scrollTop = aim.align === 'end' ? end - scroller.clientHeight : begin;
    lastTop = scroller.scrollTop;
    rest();
  };

  const rest = () => {
    clearTimeout(resting);
    resting = setTimeout(() => {
      aim = undefined;
      settle();
      if (room > total()) keepRoom();
      else room = 0;
    }, RESTING_MS);
  };

  /** Keeps the height that is on screen, from what a person does until the view is elsewhere. */
  const keepRoom = () => {
    if (!scroller || !holder.current) return;
    const trail = scroller.scrollHeight - start - holder.current.offsetHeight;
    room = scroller.scrollTop + scroller.clientHeight - start - trail;
    place();
  };

  const onScroll = () => {
    const top = scroller!.scrollTop;
    if (top !== lastTop) {
      isUp = top < lastTop;
      aim = undefined;
    }
    lastTop = top;
    if (top <= 0 && shift !== 0) {
      shift = 0;
      place();
    }
    rest();
    update(true);
  };

  return {
    setKeys(next: readonly string[]) {
      if (next === keys) return;
      const focused = focusedRow();
      held = focused < 0 ? -1 : next.indexOf(keys[focused]!);
      const anchor = latest.current.keepsPlace && scroller ? heights.indexAt(lastTop - start - shift) : -1;
      const before = anchor < 0 ? 0 : heights.offsetOf(anchor);
      const index = anchor < 0 ? -1 : next.indexOf(keys[anchor]!);
      keys = next;
      heights.setKeys(next, latest.current.estimate);
      if (index >= 0 && lastTop > start) shift -= heights.offsetOf(index) - before;
    },
    /** The row with the focus and its neighbours, to which keys go from there: they stay drawn wherever the list is scrolled to. */
    aroundFocus: (): readonly number[] => (held < 0 ? [] : [held - 1, held, held + 1]),
    attach() {
      const box = holder.current!;
      scroller = box.closest<HTMLElement>('[data-scroller]')!;
      start = startOf(box, scroller);
      scroller.addEventListener('scroll', onScroll, { passive: true });
      sizes.observe(scroller);
      if (scroller.firstElementChild) sizes.observe(scroller.firstElementChild);
      const own = scroller;
      const acts = latest.current.keepsRoom ? ['pointerdown', 'keydown'] : [];
      for (const act of acts) document.addEventListener(act, keepRoom, { capture: true, passive: true });
      return () => {
        for (const act of acts) document.removeEventListener(act, keepRoom, { capture: true });
        clearTimeout(resting);
        sizes.disconnect();
        watched.clear();
        own.removeEventListener('scroll', onScroll);
      };
    },
    /** Measures the rows that are new, and forgets those that left. */
    afterDrawing() {
      const box = holder.current!;
      for (const row of watched)
        if (row.parentNode !== box) {
          sizes.unobserve(row);
          watched.delete(row);
        }
      for (const row of box.children)
        if (!watched.has(row)) {
          watched.add(row);
          sizes.observe(row, { box: 'border-box' });
        }
      place();
      update(false);
    },
    show(index: number) {
      const [begin, end] = edges(index);
      if (scroller && (end <= scroller.scrollTop || begin >= scroller.scrollTop + scroller.clientHeight))
        this.scrollToIndex(index, 'nearest');
    },
    scrollToIndex(index: number, align: Align) {
      if (!scroller) return;
      const [begin, end] = edges(index);
      const isAbove = begin < scroller.scrollTop;
      if (align === 'nearest' && !isAbove && end <= scroller.scrollTop + scroller.clientHeight) return;
      aim = { index, align: align === 'nearest' ? (isAbove ? 'start' : 'end') : align };
      reach();
      update(false);
    },
  };
}
