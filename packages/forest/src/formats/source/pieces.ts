import { isJson } from '@skein/core';
import { elementsIn } from './elements.ts';
import { linesOf, type Piece } from './lines.ts';
import type { TextSource } from './text-source.ts';

/**
 * What a source is made of: the elements of a list, JSON lines, or one document. A first line that is whole JSON with
 * more behind it means lines.
 */
export async function* piecesOf(source: TextSource, inLines: boolean): AsyncGenerator<Piece> {
  const { firstLine } = source;
  const isWhole = isJson(firstLine);
  if (inLines || (isWhole && source.hasMoreLines)) yield* linesOf(source.chunks());
  else if (firstLine.startsWith('[')) yield* elementsIn(source.chunks());
  else yield* documentOf(source);
}

/** One document; where it is none, the lines of it, because only the first of them may be broken. */
async function* documentOf(source: TextSource): AsyncGenerator<Piece> {
  const chunks: string[] = [];
  for await (const chunk of source.chunks()) chunks.push(chunk);
  const text = chunks.join('').trim();
  const lines = text.split('\n');
  if (isJson(text) || !lines.some((line) => /^\s*[{[]/.test(line) && isJson(line))) {
    if (text !== '') yield { text, where: 'document' };
  } else yield* linesOf(fromArray(chunks));
}

async function* fromArray(items: readonly string[]): AsyncGenerator<string> {
  yield* items;
}
