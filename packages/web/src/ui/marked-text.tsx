import { piecesOf } from './pieces-of.ts';

/** Text with the words marked that were looked for; `marks` are pairs of start and end. */
export function MarkedText({ text, marks }: { readonly text: string; readonly marks: readonly (readonly number[])[] }) {
  return (
    <>
      {piecesOf(text, marks).map(({ start, text: piece, isMarked }) =>
        isMarked ? (
          <mark key={start} className="rounded-xs bg-mark text-ink">
            {piece}
          </mark>
        ) : (
          <span key={start}>{piece}</span>
        ),
      )}
    </>
  );
}
