import { useEffect, useState } from 'react';
import { colour, colouredBefore } from './highlight.ts';
import type { CodeLine } from './highlight-worker.ts';
import { languageName } from './languages.ts';

/** Longer code stays plain. */
const MOST_COLOURED = 100_000;
/** How often code that still grows is coloured, in milliseconds. */
const EVERY_MS = 200;

/** The lines that are coloured so far, and what of the code is behind them. */
export function useColouredLines(
  code: string,
  language: string,
): { readonly lines: readonly CodeLine[]; readonly rest: string } {
  const name = code.length <= MOST_COLOURED ? languageName(language) : undefined;
  const [, draw] = useState(0);
  const before = name === undefined ? undefined : colouredBefore(code, name);
  const isDone = name === undefined || before?.code === code;
  const isGrowing = before !== undefined;
  useEffect(() => {
    if (isDone) return;
    let isShown = true;
    const ask = () => void colour(code, name).then(() => isShown && draw((count) => count + 1));
    const timer = setTimeout(ask, isGrowing ? EVERY_MS : 0);
    return () => {
      isShown = false;
      clearTimeout(timer);
    };
  }, [code, name, isDone, isGrowing]);
  return before ? { lines: before.lines, rest: code.slice(before.code.length) } : { lines: [], rest: code };
}
