import { useQuery } from '@tanstack/react-query';
import { queries } from '../api/queries.ts';
import { keyLabel } from '../commands/keys.ts';
import { money, shortId, shortNumber, totalTokens } from '../ui/format.ts';
import { Kbd } from '../ui/kbd.tsx';
import { t } from '../words/words.ts';
import { copyText } from './marks.ts';
import { useSiblings } from './use-siblings.ts';
import type { ShownThread } from './use-thread.ts';

const SHORTCUTS = [
  ['Alt+ArrowUp', 'siblings'],
  ['g', 'again'],
  ['e', 'edit'],
  ['b', 'bookmark'],
  ['Space', 'fold'],
  ['?', 'all keys'],
] as const;

/** The footer: keys, usage of the path, and the position of the selected message. */
export function StatusLine({ owner, selected, leaf }: ShownThread) {
  const { positions, index } = useSiblings(selected);
  const { data } = useQuery({
    ...queries.usage({ path: leaf.id, ...(owner && { thread: owner.id }) }),
    placeholderData: (before) => before,
  });
  const unpriced = data?.withoutPrice ?? 0;
  return (
    <footer className="flex h-7 shrink-0 items-center gap-4 border-t border-line bg-surface px-3 text-xs whitespace-nowrap text-faint">
      {/* Keys that do not fit wrap into a second line, which is not shown, so none is ever cut. */}
      <ul
        aria-label={t('conversation.keys')}
        className="flex h-full min-w-0 grow flex-wrap gap-x-3 overflow-hidden max-sm:invisible pointer-coarse:invisible"
      >
        {SHORTCUTS.map(([keys, what]) => (
          <li key={keys} className="flex h-full items-center gap-1">
            <Kbd>{keyLabel(keys)}</Kbd> {what}
          </li>
        ))}
      </ul>
      {data && (
        <span
          title={t('conversation.tokens-and-cost', {
            what: unpriced > 0 ? t('conversation.without-whose-price', { unpriced }) : '',
          })}
          className="shrink-0 tabular-nums"
        >
          {t('conversation.tokens', {
            number: shortNumber(totalTokens(data.usage)),
            what: data.cost === null ? t('conversation.no-price-known') : money(data.cost),
          })}
          {data.cost !== null && unpriced > 0 && ' +'}
        </span>
      )}
      {positions.length > 1 && (
        <span className="shrink-0 tabular-nums">
          {t('conversation.sibling', { index: index + 1, count: positions.length })}
        </span>
      )}
      <span className="shrink-0 tabular-nums max-sm:hidden">{t('conversation.depth', { depth: selected.depth })}</span>
      <button
        type="button"
        title={t('conversation.copy-the-id')}
        onClick={() => void copyText(selected.id, t('conversation.the-id-was'))}
        className="shrink-0 rounded px-1 font-mono hover:bg-hover hover:text-ink max-sm:hidden"
      >
        {t('conversation.node', { shortId: shortId(selected.id) })}
      </button>
    </footer>
  );
}
