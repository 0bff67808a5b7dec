import { useQuery } from '@tanstack/react-query';
import { ArrowDown } from 'lucide-react';
import { useMemo, useRef } from 'react';
import { Virtualizer, type VirtualizerHandle } from 'virtua';
import { queries } from '../api/queries.ts';
import type { ContextChange } from '../api/types.ts';
import { openCalls } from '../inspector/open-calls.ts';
import { Button } from '../ui/button.tsx';
import { providerChanges } from './author.ts';
import { useDesk } from './desk.ts';
import { LiveRow } from './live-row.tsx';
import { MessageRow } from './message-row.tsx';
import { OpenCallsRow } from './open-calls-row.tsx';
import { pairCalls } from './pair-calls.ts';
import { useBookmarked } from './use-bookmarked.ts';
import { useScrolling } from './use-scrolling.ts';
import type { ShownThread } from './use-thread.ts';

/** The messages from the first to the leaf. Only those in sight are drawn. */
export function Thread({ owner, selected, leaf, path, tail }: ShownThread) {
  const scroller = useRef<HTMLDivElement>(null);
  const list = useRef<VirtualizerHandle>(null);
  const pairs = useMemo(() => pairCalls(path), [path]);
  const changes = useMemo(() => providerChanges(path), [path]);
  const contexts = useContextChanges(owner?.id, leaf.id);
  const open = useMemo(() => (tail ? [] : openCalls(path)), [path, tail]);
  const bookmarked = useBookmarked();
  const selectedAt = path.indexOf(selected);
  const editing = useDesk((desk) => desk.editing);
  const editingAt = editing === undefined ? -1 : path.findIndex(({ id }) => id === editing);
  const { isAtEnd, toEnd } = useScrolling({
    scroller,
    list,
    selectedAt,
    count: path.length + (tail || open.length > 0 ? 1 : 0),
    isAtLeaf: selected === leaf,
  });
  return (
    <div className="relative min-h-0 grow">
      <section
        ref={scroller}
        aria-label="Messages"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable by key
        tabIndex={0}
        className="h-full overflow-y-auto [overflow-anchor:none] outline-offset-[-2px]"
      >
        <div className="py-3">
          <Virtualizer
            ref={list}
            as="ol"
            item="li"
            scrollRef={scroller}
            startMargin={12}
            keepMounted={editingAt < 0 ? [] : [editingAt]}
          >
            {[
              ...path.map((node, index) => (
                // The place and not the message is the key: what takes a message's place takes its room.
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
              ...(tail ? [<LiveRow key={leaf.id} tail={tail} />] : []),
              ...(open.length > 0 ? [<OpenCallsRow key="open" leaf={leaf} names={open} />] : []),
            ]}
          </Virtualizer>
        </div>
      </section>
      {!isAtEnd && (
        <div className="pointer-events-none absolute inset-x-0 bottom-2 flex justify-center">
          <Button small className="pointer-events-auto rounded-full shadow-md" onClick={toEnd}>
            <ArrowDown size={14} /> Jump to the latest
          </Button>
        </div>
      )}
    </div>
  );
}

/** Where the system text, the tools or the sent history of a conversation changed, by the answer that was the first of it. */
function useContextChanges(thread: string | undefined, to: string): ReadonlyMap<string, ContextChange> {
  const { data } = useQuery({
    ...queries.contextChanges(thread ?? '', to),
    enabled: thread !== undefined,
    placeholderData: (before) => before,
  });
  return useMemo(() => new Map(data?.items.map((change) => [change.node, change])), [data]);
}
