import { useQuery } from '@tanstack/react-query';
import { queries } from '../api/queries.ts';
import { keyLabel } from '../commands/key-names.ts';
import { allTokens, money, shortId, shortNumber } from '../ui/format.ts';
import { Kbd } from '../ui/kbd.tsx';
import { copyText } from './marking.ts';
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

/** What can be pressed here, and where the reader is. */
export function StatusLine({ owner, selected, leaf }: ShownThread) {
  const { positions, index } = useSiblings(selected);
  const { data } = useQuery({
    ...queries.usage({ path: leaf.id, ...(owner && { thread: owner.id }) }),
    placeholderData: (before) => before,
  });
  return (
    <footer className="flex h-7 shrink-0 items-center gap-4 overflow-hidden border-t border-line bg-surface px-3 text-xs whitespace-nowrap text-faint">
      <ul aria-label="Keys" className="hidden items-center gap-3 lg:flex">
        {SHORTCUTS.map(([keys, what]) => (
          <li key={keys} className="flex items-center gap-1">
            <Kbd>{keyLabel(keys)}</Kbd> {what}
          </li>
        ))}
      </ul>
      <span className="grow" />
      {data && (
        <span title="Tokens and cost of this path" className="tabular-nums">
          {shortNumber(allTokens(data.usage))} tok · {money(data.cost)}
          {data.withoutPrice > 0 && '+'}
        </span>
      )}
      <span className="tabular-nums">
        sibling {index + 1}/{positions.length}
      </span>
      <span className="hidden tabular-nums sm:inline">depth {selected.depth}</span>
      <button
        type="button"
        title="Copy the id of this message"
        onClick={() => void copyText(selected.id, 'The id was')}
        className="rounded px-1 font-mono hover:bg-hover hover:text-ink"
      >
        node {shortId(selected.id)}
      </button>
    </footer>
  );
}
