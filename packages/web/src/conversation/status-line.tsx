import { useQuery } from '@tanstack/react-query';
import { queries } from '../api/queries.ts';
import { keyLabel } from '../commands/keys.ts';
import { money, shortId, shortNumber, totalTokens } from '../ui/format.ts';
import { Kbd } from '../ui/kbd.tsx';
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
        aria-label="Keys"
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
          title={`Tokens and cost of this path${unpriced > 0 ? `, without ${unpriced} whose price is not known` : ''}`}
          className="shrink-0 tabular-nums"
        >
          {shortNumber(totalTokens(data.usage))} tokens · {data.cost === null ? 'no price known' : money(data.cost)}
          {data.cost !== null && unpriced > 0 && ' +'}
        </span>
      )}
      {positions.length > 1 && (
        <span className="shrink-0 tabular-nums">
          sibling {index + 1}/{positions.length}
        </span>
      )}
      <span className="shrink-0 tabular-nums max-sm:hidden">depth {selected.depth}</span>
      <button
        type="button"
        title="Copy the id of this message"
        onClick={() => void copyText(selected.id, 'The id was')}
        className="shrink-0 rounded px-1 font-mono hover:bg-hover hover:text-ink max-sm:hidden"
      >
        node {shortId(selected.id)}
      </button>
    </footer>
  );
}
