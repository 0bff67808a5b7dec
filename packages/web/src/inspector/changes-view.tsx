import type { TextChange } from './word-diff.ts';

/** Changes in a text: additions are underlined, removals are struck out. */
export function ChangesView({
  changes,
  isSource = false,
}: {
  readonly changes: readonly TextChange[];
  readonly isSource?: boolean;
}) {
  return (
    <div className={`break-words whitespace-pre-wrap ${isSource ? 'font-mono text-xs leading-5' : 'text-sm'}`}>
      {changes.map(({ kind, text }, index) => {
        if (kind === 'same') return text;
        return kind === 'added' ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: pieces of a text that does not change
          <ins key={index} className="rounded-sm bg-ok-soft text-ok underline decoration-2 underline-offset-2">
            {text}
          </ins>
        ) : (
          // biome-ignore lint/suspicious/noArrayIndexKey: pieces of a text that does not change
          <del key={index} className="rounded-sm bg-danger-soft text-danger line-through">
            {text}
          </del>
        );
      })}
    </div>
  );
}
