import { type ReactNode, useLayoutEffect, useRef, useState } from 'react';
import type { Block, Node } from '../../api/types.ts';
import { Blocks } from '../../blocks/blocks.tsx';
import { Foldable } from '../../blocks/fold.tsx';
import { useFold } from '../../blocks/folds.ts';
import { plainText, summarizeBlocks } from '../../blocks/summary.ts';
import { useLiveBlocks } from '../../state/live.ts';
import { Button } from '../../ui/button.tsx';
import { shortNumber } from '../../ui/format.ts';
import { t } from '../../words/words.ts';
import { startEditing } from '../screen-state.ts';
import type { LiveTail } from '../use-thread.ts';
import { mainTake } from './author.ts';
import type { Pairs } from './pair-calls.ts';

interface ContentProps {
  readonly node: Node | undefined;
  readonly tail: LiveTail | undefined;
  readonly pairs: Pairs;
  readonly isRaw: boolean;
}

/** The blocks of a message, complete or growing: the only part of the page that is rendered with every frame of a stream. */
export function Content({ node, tail, pairs, isRaw }: ContentProps) {
  const { live, branch, index = 0 } = tail ?? {};
  const growing = useLiveBlocks(live?.id ?? '', index);
  const blocks = node?.content ?? growing;
  if (node && isEmpty(blocks)) return <p className="text-faint italic">{describeSilence(node)}</p>;
  if (node?.role === 'system') return <SystemText node={node} isRaw={isRaw} />;
  const content = (
    <Blocks
      node={node?.id ?? `${live?.id}-${index}`}
      blocks={blocks}
      raw={isRaw}
      isLive={branch?.status === 'running'}
      {...(branch && { running: branch.running })}
      {...(pairs.results && { results: pairs.results })}
      {...(pairs.shown && { shownResults: pairs.shown })}
    />
  );
  return node?.role === 'user' && mayBeLong(blocks) ? <LongText node={node.id}>{content}</LongText> : content;
}

export function isEmpty(blocks: readonly Block[]): boolean {
  return blocks.every((block) => block.type === 'text' && block.text.trim() === '');
}

/** Says why an answer is empty: names the stop reason unless it is an ordinary end. */
function describeSilence(node: Node): string {
  const { reason, native = reason } = mainTake(node)?.stop ?? {};
  return reason === undefined || reason === 'end'
    ? t('message.empty')
    : t('message.empty-because', { native: native ?? reason });
}

/** Whether a message may be higher than what is shown of it. Measuring each one would lay out the page once per message that scrolls in. */
function mayBeLong(blocks: readonly Block[]): boolean {
  return blocks.some(({ type }) => type !== 'text') || isLongText(plainText(blocks));
}

/** Below this many characters and lines, a text surely fits into the height of the fold, also on a phone. */
function isLongText(text: string): boolean {
  return text.length > 300 || (text.match(/\n/g)?.length ?? 0) > 4;
}

/** Shows only the beginning of a long message until the reader expands it. */
function LongText({ node, children }: { readonly node: string; readonly children: ReactNode }) {
  const [isOpen, toggle] = useFold(node, 'whole');
  const box = useRef<HTMLDivElement>(null);
  const [isLong, setLong] = useState(false);
  useLayoutEffect(() => {
    const element = box.current;
    if (element && !isOpen) setLong(element.scrollHeight > element.clientHeight + 8);
  }, [isOpen]);
  return (
    <>
      <div
        ref={box}
        className={
          isOpen
            ? ''
            : `max-h-80 overflow-hidden ${isLong ? '[mask-image:linear-gradient(black_80%,transparent)]' : ''}`
        }
      >
        {children}
      </div>
      {(isLong || isOpen) && (
        <button
          type="button"
          aria-expanded={isOpen}
          onClick={toggle}
          className="mt-1 text-xs font-medium text-accent pointer-coarse:min-h-10"
        >
          {isOpen ? t('message.show-less') : t('message.show-all')}
        </button>
      )}
    </>
  );
}

/** The system text, folded to one line. */
function SystemText({ node, isRaw }: { readonly node: Node; readonly isRaw: boolean }) {
  const [isOpen, toggle] = useFold(node.id, 'system');
  const blocks = node.content;
  return (
    <Foldable
      label={t('message.system-text')}
      isOpen={isOpen}
      onToggle={toggle}
      summary={
        <>
          <span className="min-w-0 truncate text-ink">{summarizeBlocks(blocks)}</span>
          <span className="shrink-0 text-faint">
            {t('message.characters', { number: shortNumber(plainText(blocks).length) })}
          </span>
        </>
      }
    >
      <div className="p-3">
        <Blocks node={node.id} blocks={blocks} raw={isRaw} />
        <Button small className="mt-2" onClick={() => startEditing(node.id)}>
          {t('message.context-change')}
        </Button>
      </div>
    </Foldable>
  );
}
