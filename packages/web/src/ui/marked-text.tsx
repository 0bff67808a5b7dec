import { plainLine } from '../state/plain-words.ts';

/** Text with search matches highlighted; `marks` are pairs of start and end. It is one line, and is shown without the marks of Markdown. */
export function MarkedText({ text, marks }: { readonly text: string; readonly marks: readonly (readonly number[])[] }) {
  return (
    <>
      {plainPieces(text, marks).map(({ start, text: piece, isMarked }) =>
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

interface MarkedPiece {
  readonly start: number;
  readonly text: string;
  readonly isMarked: boolean;
}

/** Cuts a text where its marks begin and end. Marks that overlap or exceed the text neither drop nor repeat any of it. */
export function splitAtMarks(text: string, marks: readonly (readonly number[])[]): readonly MarkedPiece[] {
  const pieces: MarkedPiece[] = [];
  let at = 0;
  const add = (end: number, isMarked: boolean) => {
    if (end > at) pieces.push({ start: at, text: text.slice(at, end), isMarked });
    at = Math.max(at, end);
  };
  for (const [start = 0, end = 0] of [...marks].sort((a, b) => (a[0] ?? 0) - (b[0] ?? 0))) {
    add(Math.min(start, text.length), false);
    add(Math.min(end, text.length), true);
  }
  add(text.length, false);
  return pieces;
}

/** Signs that no text has, around what is marked: they stay where they are while the words around them change. */
const [START, END] = ['\ue000', '\ue001'];

/** The same pieces without the marks of Markdown around and between them. */
export function plainPieces(text: string, marks: readonly (readonly number[])[]): readonly MarkedPiece[] {
  const signed = splitAtMarks(text.replace(/[\ue000\ue001]/g, ''), marks)
    .map((piece) => (piece.isMarked ? START + piece.text + END : piece.text))
    .join('');
  let at = 0;
  return plainLine(signed)
    .split(/[\ue000\ue001]/)
    .map((piece, place) => {
      const start = at;
      at += piece.length;
      return { start, text: piece, isMarked: place % 2 === 1 };
    })
    .filter((piece) => piece.text !== '');
}
