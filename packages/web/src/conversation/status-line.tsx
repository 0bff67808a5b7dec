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
  ['Alt+ArrowUp', t('status.key-siblings')],
  ['g', t('status.key-again')],
  ['e', t('status.key-edit')],
  ['b', t('status.key-bookmark')],
  ['Space', t('status.key-fold')],
  ['?', t('status.key-help')],
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
    <footer className="flex h-7 shrink-0 items-center gap-4 border-t border-line px-3 text-xs whitespace-nowrap text-faint">
      {/* Keys that do not fit wrap into a second line, which is not shown, so none is ever cut. */}
      <ul
        aria-label={t('status.keys')}
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
          title={unpriced > 0 ? t('status.cost-title-unpriced', { count: unpriced }) : t('status.cost-title')}
          className="shrink-0 tabular-nums"
        >
          {t('status.tokens', {
            number: shortNumber(totalTokens(data.usage)),
            cost: data.cost === null ? t('status.no-price') : money(data.cost),
          })}
          {data.cost !== null && unpriced > 0 && ' +'}
        </span>
      )}
      {positions.length > 1 && (
        <span className="shrink-0 tabular-nums">
          {t('status.sibling', { index: index + 1, count: positions.length })}
        </span>
      )}
      <span className="shrink-0 tabular-nums max-sm:hidden">{t('status.depth', { depth: selected.depth })}</span>
      <button
        type="button"
        title={t('status.copy-id')}
        onClick={() => void copyText(selected.id, t('status.id-copied'))}
        className="shrink-0 rounded px-1 font-mono hover:bg-hover hover:text-ink max-sm:hidden"
      >
        {t('status.node', { id: shortId(selected.id) })}
      </button>
    </footer>
  );
}
