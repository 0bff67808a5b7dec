import { isObject } from '@skein/core';
import { FormatError } from './format-error.ts';
import type { Progress } from './progress.ts';
import { readJson } from './source/exact.ts';
import type { Piece } from './source/lines.ts';

/** Elements that are messages make one conversation; a list, or an object with "messages", is one of its own. */
export async function* gathered(pieces: AsyncIterable<Piece>, progress: Progress): AsyncGenerator<Piece> {
  const texts: string[] = [];
  let isBroken = false;
  for await (const piece of pieces) {
    const value = parsed(piece.text);
    if (Array.isArray(value) || (isObject(value) && Array.isArray(value.messages))) yield piece;
    else if (value !== undefined) texts.push(piece.text);
    else {
      // A history with a hole would be another history.
      isBroken = true;
      progress.problem(
        piece.where,
        new FormatError('not_json', 'Not JSON: the conversation it belongs to is left out.'),
      );
    }
  }
  if (texts.length > 0 && !isBroken) yield { text: `[${texts.join(',')}]`, where: 'document' };
}

/** The value of a text; undefined when it is no JSON. */
export function parsed(text: string): unknown {
  try {
    return readJson(text);
  } catch {
    return undefined;
  }
}
