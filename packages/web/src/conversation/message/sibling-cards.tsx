import { useQuery } from '@tanstack/react-query';
import { type KeyboardEvent, useEffect, useMemo, useRef, useState } from 'react';
import { queries } from '../../api/queries.ts';
import type { Node } from '../../api/types.ts';
import { summarizeBlocks } from '../../blocks/summary.ts';
import { ChangesView } from '../../inspector/changes-view.tsx';
import { comparableText } from '../../inspector/comparable-text.ts';
import { wordDiff } from '../../inspector/word-diff.ts';
import { ago, duration, money, shortNumber, totalTokens } from '../../ui/format.ts';
import { ProviderDot } from '../../ui/provider-dot.tsx';
import { t } from '../../words/words.ts';
import type { SiblingPosition } from '../siblings.ts';
import { goToPosition } from '../use-siblings.ts';
import { mainTake } from './author.ts';

interface SiblingCardsProps {
  readonly parent: string;
  readonly positions: readonly SiblingPosition[];
  readonly index: number;
  readonly onDone: () => void;
}

/** The branches of a fork as cards: who wrote each, how it begins, what it cost, and what differs from the one on screen. */
export function SiblingCards({ parent, positions, index, onDone }: SiblingCardsProps) {
  const list = useRef<HTMLUListElement>(null);
  const shown = positions[index]?.nodes[0];
  useEffect(() => list.current?.querySelector<HTMLElement>('[aria-current="true"]')?.focus(), []);
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    const step = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1 }[event.key];
    if (step === undefined) return;
    const cards = [...event.currentTarget.querySelectorAll<HTMLElement>('[data-card]')];
    const at = cards.findIndex((card) => card.parentElement?.contains(document.activeElement));
    event.preventDefault();
    cards[Math.min(Math.max(at + step, 0), cards.length - 1)]?.focus();
  };
  return (
    <>
      <p className="mb-2 text-xs font-medium text-soft">{t('message.branches-title', { count: positions.length })}</p>
      <ul ref={list} onKeyDown={onKeyDown} className="flex flex-col gap-1.5">
        {positions.map((position, at) => (
          <Card
            key={position.nodes[0]?.id ?? `${position.live?.generation}-${position.live?.branch}`}
            number={at + 1}
            node={position.nodes[0]}
            same={position.nodes.length}
            isShown={at === index}
            shown={at === index ? undefined : shown}
            onPick={() => {
              onDone();
              goToPosition(position, parent);
            }}
          />
        ))}
      </ul>
    </>
  );
}

interface CardProps {
  readonly number: number;
  /** Undefined while it is being written. */
  readonly node: Node | undefined;
  readonly same: number;
  readonly isShown: boolean;
  /** The one on screen to compare with. */
  readonly shown: Node | undefined;
  readonly onPick: () => void;
}

function Card({ number, node, same, isShown, shown, onPick }: CardProps) {
  const [isComparing, setComparing] = useState(false);
  const take = node && mainTake(node);
  const owner = take?.thread;
  const { data: thread } = useQuery({ ...queries.thread(owner ?? ''), enabled: owner !== undefined });
  const facts = [
    node && ago(node.at),
    take?.usage && t('message.branch-tokens', { number: shortNumber(totalTokens(take.usage)) }),
    take?.cost !== undefined && money(take.cost),
    take?.durationMs !== undefined && duration(take.durationMs),
    same > 1 && t('message.branch-same', { count: same }),
  ].filter(Boolean);
  return (
    <li className={`rounded-md border ${isShown ? 'border-accent bg-accent-soft' : 'border-line'}`}>
      <button
        type="button"
        data-card
        aria-current={isShown}
        onClick={onPick}
        className={`block w-full rounded-md p-2 text-left ${isShown ? '' : 'hover:bg-hover'}`}
      >
        <span className="flex items-center gap-2 text-xs">
          <span className="text-soft tabular-nums">{number}</span>
          {take?.model && <ProviderDot provider={take.provider} />}
          <span className={`min-w-0 truncate font-medium ${take?.model ? 'text-ink' : 'text-soft'}`}>
            {take?.model ?? (node ? t('message.branch-by-person') : t('message.branch-growing'))}
          </span>
        </span>
        <span className="mt-1 line-clamp-3 break-words">
          {node ? summarizeBlocks(node.content) || t('message.branch-invisible') : t('message.branch-unread')}
        </span>
        <span className="mt-1 block text-xs text-soft tabular-nums">{facts.join(' · ')}</span>
        {thread && (
          <span className="block truncate text-xs text-soft">
            {t('message.branch-in', { title: thread.title || t('message.branch-untitled') })}
          </span>
        )}
      </button>
      {node && shown && (
        <div className="px-2 pb-1.5">
          <button
            type="button"
            aria-expanded={isComparing}
            onClick={() => setComparing(!isComparing)}
            className="rounded text-xs font-medium text-accent hover:underline"
          >
            {isComparing ? t('message.branch-changes-hide') : t('message.branch-changes')}
          </button>
          {isComparing && <Changes from={shown} to={node} />}
        </div>
      )}
    </li>
  );
}

function Changes({ from, to }: { readonly from: Node; readonly to: Node }) {
  const changes = useMemo(() => wordDiff(comparableText(from.content), comparableText(to.content)), [from, to]);
  return (
    <section
      aria-label={t('message.branch-changes')}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable by key
      tabIndex={0}
      className="mt-1 max-h-60 overflow-y-auto rounded bg-surface p-2"
    >
      {changes.every(({ kind }) => kind === 'same') ? (
        <p className="text-xs text-soft">{t('message.branch-bytes-only')}</p>
      ) : (
        <ChangesView changes={changes} />
      )}
    </section>
  );
}
