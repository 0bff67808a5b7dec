import type { Piece } from './lines.ts';

const QUOTE = 34;
const COMMA = 44;
const BACKSLASH = 92;
const OPENED_BY: Readonly<Record<number, number>> = { 93: 91, 125: 123 };
const OPEN = new Set(Object.values(OPENED_BY));

/**
 * The exact texts of the elements of a list that may be too long for one string. Only strings and brackets are
 * followed, and a bracket closes what it belongs to whatever was left open inside, so that a broken element mostly
 * costs no more than itself.
 */
export async function* elementsIn(chunks: AsyncIterable<string>): AsyncGenerator<Piece> {
  let parts: string[] = [];
  const open: number[] = [];
  let inString = false;
  let isEscaped = false;
  let index = 0;
  const take = function* (isLast: boolean): Generator<Piece> {
    const text = parts.join('').trim();
    parts = [];
    // Nothing between the brackets is an empty list; nothing between commas is a broken one.
    if (text !== '' || !isLast) yield { text, where: `element ${index}` };
    index += 1;
  };
  for await (const chunk of chunks) {
    let from = 0;
    for (let at = 0; at < chunk.length; at++) {
      const code = chunk.charCodeAt(at);
      if (isEscaped) isEscaped = false;
      else if (inString) {
        if (code === BACKSLASH) isEscaped = true;
        else if (code === QUOTE) inString = false;
      } else if (code === QUOTE) inString = true;
      else if (OPEN.has(code)) {
        open.push(code);
        if (open.length === 1) from = at + 1;
      } else if (OPENED_BY[code] !== undefined) {
        const opened = open.lastIndexOf(OPENED_BY[code]);
        if (opened >= 0) open.length = opened;
        if (opened !== 0) continue;
        parts.push(chunk.slice(from, at));
        yield* take(true);
        from = at + 1;
      } else if (code === COMMA && open.length === 1) {
        parts.push(chunk.slice(from, at));
        yield* take(false);
        from = at + 1;
      }
    }
    parts.push(chunk.slice(from));
  }
  // What is left was cut off, or stands behind the list: the reader says so.
  yield* take(true);
}
