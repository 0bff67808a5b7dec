import { useQuery } from '@tanstack/react-query';
import { ArrowDown } from 'lucide-react';
import { type RefObject, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { queries } from '../api/queries.ts';
import type { ContextChange, Node } from '../api/types.ts';
import { listOpenCalls } from '../inspector/open-calls.ts';
import { Button } from '../ui/button.tsx';
import { SCROLLER, VirtualList, type VirtualListHandle } from '../ui/virtual-list.tsx';
import { t } from '../words/words.ts';
import { FindBar } from './find-bar.tsx';
import { continuedAnswers, providerChanges } from './message/author.ts';
import { OpenCallsRow } from './message/growing.tsx';
import { MessageRow } from './message/message-row.tsx';
import { pairCalls } from './message/pair-calls.ts';
import { UnansweredRow } from './message/unanswered-row.tsx';
import { useScreenState } from './screen-state.ts';
import type { ShownThread } from './use-thread.ts';

/** The messages from the first to the leaf. Only the visible ones are rendered. */
export function ThreadView({ owner, selected, leaf, path, tail }: ShownThread) {
  const scroller = useRef<HTMLDivElement>(null);
  const list = useRef<VirtualListHandle>(null);
  const pairs = useMemo(() => pairCalls(path), [path]);
  const changes = useMemo(() => providerChanges(path), [path]);
  const continued = useMemo(() => continuedAnswers(path, tail?.live.model), [path, tail?.live.model]);
  const hasForks = useMemo(() => path.some(({ childCount }) => childCount > 1), [path]);
  const contexts = useContextChanges(owner?.id, leaf.id);
  const open = useMemo(() => (tail ? [] : listOpenCalls(path)), [path, tail]);
  const isUnanswered = !tail && leaf.role === 'user' && !leaf.removed && open.length === 0;
  const bookmarked = useBookmarked();
  const selectedAt = path.indexOf(selected);
  const editing = useScreenState((desk) => desk.editing);
  const editingAt = editing === undefined ? -1 : path.findIndex(({ id }) => id === editing);
  const last = tail ? leaf.id : open.length > 0 ? 'open' : isUnanswered ? `${leaf.id} unanswered` : undefined;
  // Keyed by place and not by message, so that a sibling takes over the height of the message that it replaces.
  const keys = useMemo(
    () => [...path.map(({ parent }) => parent), ...(last === undefined ? [] : [last])],
    [path, last],
  );
  const { isAtEnd, toEnd } = useScrolling({
    scroller,
    list,
    selectedAt,
    path,
    leaf,
    isGrowing: tail !== undefined,
    count: keys.length,
    isAtLeaf: selected === leaf,
  });
  return (
    <div className="relative min-h-0 grow">
      <section
        ref={scroller}
        {...SCROLLER}
        {...(hasForks && { 'data-forks': '' })}
        aria-label={t('conversation.messages')}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable by key
        tabIndex={0}
        className="group/thread h-full overflow-y-auto [overflow-anchor:none] outline-offset-[-2px]"
      >
        <div className="py-3">
          <VirtualList
            ref={list}
            as="ol"
            keepsRoom
            keys={keys}
            estimate={(index) => (path[index] ? estimateHeight(path[index]) : LEAST_HEIGHT)}
            kept={editingAt < 0 ? undefined : editingAt}
          >
            {(index) => {
              const node = path[index];
              if (node)
                return (
                  <MessageRow
                    node={node}
                    leaf={leaf.id}
                    isSelected={index === selectedAt}
                    isBookmarked={bookmarked.has(node.id)}
                    isOtherProvider={changes.has(node.id)}
                    isContinued={continued.has(node.id)}
                    pairs={pairs[index]!}
                    change={contexts.get(node.id)}
                  />
                );
              if (tail) return <MessageRow tail={tail} leaf={leaf.id} isContinued={continued.has('')} />;
              return open.length > 0 ? <OpenCallsRow leaf={leaf} names={open} /> : <UnansweredRow leaf={leaf} />;
            }}
          </VirtualList>
        </div>
      </section>
      <FindBar path={path} scroller={scroller} />
      {!isAtEnd && (
        <div className="pointer-events-none absolute inset-x-0 bottom-0 flex justify-center bg-linear-to-t from-page to-transparent pt-6 pb-2">
          <Button small className="pointer-events-auto rounded-full! px-3! shadow-md" onClick={toEnd}>
            <ArrowDown size={14} /> {t('conversation.to-latest')}
          </Button>
        </div>
      )}
    </div>
  );
}

/** The height of a message with one line. */
const LEAST_HEIGHT = 72;
const LINE_HEIGHT = 26;
const CHARACTERS_PER_LINE = 90;

/** About the height of a message that was not drawn yet. */
function estimateHeight({ content }: Node): number {
  const lines = content.reduce(
    (sum, block) => sum + (block.type === 'text' ? Math.ceil(block.text.length / CHARACTERS_PER_LINE) : 1),
    0,
  );
  return LEAST_HEIGHT + LINE_HEIGHT * Math.max(0, lines - 1);
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

interface ScrollOptions {
  readonly scroller: RefObject<HTMLDivElement | null>;
  readonly list: RefObject<VirtualListHandle | null>;
  readonly selectedAt: number;
  readonly count: number;
  readonly isAtLeaf: boolean;
  readonly path: readonly Node[];
  readonly leaf: Node;
  readonly isGrowing: boolean;
}

/** Keeps the reader's place: follows growing text only at the end, and scrolls a selected message into view. */
function useScrolling(options: ScrollOptions) {
  const { scroller, list, selectedAt, count, isAtLeaf, path, leaf, isGrowing } = options;
  const [isAtEnd, setAtEnd] = useState(true);
  const follows = useRef(isAtLeaf);
  // Another branch that is longer is no text that grows.
  const isSwitched = useRef(false);
  const shownAt = useRef(selectedAt);
  const leafBefore = useRef(leaf.id);
  useLayoutEffect(() => {
    isSwitched.current ||= !isGrowing && !path.some(({ id }) => id === leafBefore.current);
    leafBefore.current = leaf.id;
    shownAt.current = selectedAt;
  }, [leaf, path, isGrowing, selectedAt]);

  useEffect(() => {
    const box = scroller.current!;
    const content = box.firstElementChild as HTMLElement;
    let lastTop = box.scrollTop;
    const isNear = () => box.scrollHeight - box.scrollTop - box.clientHeight < NEAR;
    const look = () => {
      // Growing text moves the end away; only scrolling up leaves it.
      if (isNear()) follows.current = true;
      else if (box.scrollTop < lastTop) follows.current = false;
      lastTop = box.scrollTop;
      setAtEnd(follows.current);
    };
    const grown = new ResizeObserver(() => {
      if (isSwitched.current) {
        follows.current = isNear();
        list.current?.show(shownAt.current);
      }
      isSwitched.current = false;
      if (follows.current) box.scrollTop = box.scrollHeight;
      else setAtEnd(isNear());
    });
    grown.observe(content);
    grown.observe(box);
    box.addEventListener('scroll', look, { passive: true });
    return () => {
      grown.disconnect();
      box.removeEventListener('scroll', look);
    };
  }, [scroller, list]);

  const before = useRef<number>(undefined);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only another selection moves the view
  useLayoutEffect(() => {
    const isFirst = before.current === undefined;
    const isSame = before.current === selectedAt;
    before.current = selectedAt;
    if (isSame) return;
    if (isFirst) list.current?.scrollToIndex(isAtLeaf ? count - 1 : selectedAt, isAtLeaf ? 'end' : 'start');
    else if (selectedAt === 0) scroller.current!.scrollTop = 0;
    else if (!isAtLeaf || !follows.current) list.current?.scrollToIndex(selectedAt, 'nearest');
    else scroller.current!.scrollTop = scroller.current!.scrollHeight;
  }, [selectedAt]);

  const toEnd = () => {
    follows.current = true;
    list.current?.scrollToIndex(count - 1, 'end');
  };
  return { isAtEnd, toEnd };
}

/** The nodes that have a bookmark. */
function useBookmarked(): ReadonlySet<string> {
  const { data } = useQuery(queries.bookmarks());
  return useMemo(() => new Set(data?.items.map(({ node }) => node)), [data]);
}
