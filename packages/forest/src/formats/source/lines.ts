/** A piece of a source: an element of a list, a line, or all of it. */
export interface Piece {
  readonly text: string;
  /** Such as `line 3`. */
  readonly where: string;
}

/** The lines that are not blank. */
export async function* linesOf(chunks: AsyncIterable<string>): AsyncGenerator<Piece> {
  let open: string[] = [];
  let number = 0;
  for await (const chunk of chunks) {
    const parts = chunk.split('\n');
    for (const [index, part] of parts.entries()) {
      open.push(part);
      if (index === parts.length - 1) break;
      yield* lineOf(open, ++number);
      open = [];
    }
  }
  yield* lineOf(open, ++number);
}

function* lineOf(parts: readonly string[], number: number): Generator<Piece> {
  const text = parts.join('').trim();
  if (text !== '') yield { text, where: `line ${number}` };
}
