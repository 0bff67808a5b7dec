import { useQuery } from '@tanstack/react-query';
import { ArrowDown } from 'lucide-react';
import { type RefObject, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { Virtualizer, type VirtualizerHandle } from 'virtua';
import { queries } from '../api/queries.ts';
import type { ContextChange } from '../api/types.ts';
import { listOpenCalls } from '../inspector/open-calls.ts';
import { Button } from '../ui/button.tsx';
import { drawInFrame, NumberedVirtualRows } from '../ui/virtual-rows.tsx';
import { t } from '../words/words.ts';
import { FindBar } from './find-bar.tsx';
import { providerChanges } from './message/author.ts';
import { OpenCallsRow } from './message/growing.tsx';
import { MessageRow } from './message/message-row.tsx';
import { pairCalls } from './message/pair-calls.ts';
import { UnansweredRow } from './message/unanswered-row.tsx';
import { useScreenState } from './screen-state.ts';
import type { ShownThread } from './use-thread.ts';

/** The messages from the first to the leaf. Only the visible ones are rendered. */
export function ThreadView({ owner, selected, leaf, path, tail }: ShownThread) {
  const scroller = useRef<HTMLDivElement>(null);
  const list = useRef<VirtualizerHandle>(null);
  const pairs = useMemo(() => pairCalls(path), [path]);
  const changes = useMemo(() => providerChanges(path), [path]);
  const contexts = useContextChanges(owner?.id, leaf.id);
  const open = useMemo(() => (tail ? [] : listOpenCalls(path)), [path, tail]);
  const isUnanswered = !tail && leaf.role === 'user' && !leaf.removed && open.length === 0;
  const bookmarked = useBookmarked();
  const selectedAt = path.indexOf(selected);
  const editing = useScreenState((desk) => desk.editing);
  const editingAt = editing === undefined ? -1 : path.findIndex(({ id }) => id === editing);
  const { isAtEnd, toEnd } = useScrolling({
    scroller,
    list,
    selectedAt,
    count: path.length + (tail || open.length > 0 || isUnanswered ? 1 : 0),
    isAtLeaf: selected === leaf,
  });
  return (
    <div className="relative min-h-0 grow">
      <section
        ref={scroller}
        onScrollCapture={drawInFrame}
        aria-label={t('conversation.messages')}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable by key
        tabIndex={0}
        className="h-full overflow-y-auto [overflow-anchor:none] outline-offset-[-2px]"
      >
        <div className="py-3">
          <Virtualizer
            ref={list}
            as={NumberedVirtualRows}
            item="li"
            scrollRef={scroller}
            startMargin={12}
            keepMounted={editingAt < 0 ? [] : [editingAt]}
          >
            {[
              ...path.map((node, index) => (
                // Keyed by place and not by message, so that a sibling takes over the height of the message that it replaces.
                <MessageRow
                  key={node.parent}
                  node={node}
                  leaf={leaf.id}
                  isSelected={index === selectedAt}
                  isBookmarked={bookmarked.has(node.id)}
                  isOtherProvider={changes.has(node.id)}
                  pairs={pairs[index]!}
                  change={contexts.get(node.id)}
                />
              )),
              ...(tail ? [<MessageRow key={leaf.id} tail={tail} leaf={leaf.id} />] : []),
              ...(open.length > 0 ? [<OpenCallsRow key="open" leaf={leaf} names={open} />] : []),
              ...(isUnanswered ? [<UnansweredRow key={`${leaf.id} unanswered`} leaf={leaf} />] : []),
            ]}
          </Virtualizer>
        </div>
      </section>
      <FindBar path={path} scroller={scroller} />
      {!isAtEnd && (
        <div className="pointer-events-none absolute inset-x-0 bottom-2 flex justify-center">
          <Button small className="pointer-events-auto rounded-full shadow-md" onClick={toEnd}>
            <ArrowDown size={14} /> {t('conversation.to-latest')}
          </Button>
        </div>
      )}
    </div>
  );
}

/** The changes of context in a conversation, by the first answer after the change. */
function useContextChanges(thread: string | undefined, to: string): ReadonlyMap<string, ContextChange> {
  const { data } = useQuery({
    ...queries.contextChanges(thread ?? '', to),
    enabled: thread !== undefined,
    placeholderData: (before) => before,
  });
  return useMemo(() => new Map(data?.items.map((change) => [change.node, change])), [data]);
}

/** The distance from the end, in pixels, that counts as at the end. */
const NEAR = 48;
/** The time without scrolling, in milliseconds, after which the view is at rest. */
const RESTING_MS = 120;

interface ScrollOptions {
  readonly scroller: RefObject<HTMLDivElement | null>;
  readonly list: RefObject<VirtualizerHandle | null>;
  readonly selectedAt: number;
  readonly count: number;
  readonly isAtLeaf: boolean;
}

/**
 * Keeps the reader's place: follows growing text only at the end, scrolls a selected message into view, and never lets the
 * view slide because the content below it became shorter.
 */
function useScrolling({ scroller, list, selectedAt, count, isAtLeaf }: ScrollOptions) {
  const [isAtEnd, setAtEnd] = useState(true);
  const follows = useRef(isAtLeaf);

  useEffect(() => {
    const box = scroller.current!;
    const content = box.firstElementChild as HTMLElement;
    let resting: ReturnType<typeof setTimeout> | undefined;
    let lastTop = box.scrollTop;
    const isNear = () => box.scrollHeight - box.scrollTop - box.clientHeight < NEAR;
    const look = () => {
      // Growing text moves the end away; only scrolling up leaves it.
      if (isNear()) follows.current = true;
      else if (box.scrollTop < lastTop) follows.current = false;
      lastTop = box.scrollTop;
      setAtEnd(follows.current);
      clearTimeout(resting);
      resting = setTimeout(keepRoom, RESTING_MS);
    };
    // Keeps the visible height when a shorter branch replaces a longer one.
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

/** The nodes that have a bookmark. */
function useBookmarked(): ReadonlySet<string> {
  const { data } = useQuery(queries.bookmarks());
  return useMemo(() => new Set(data?.items.map(({ node }) => node)), [data]);
}
