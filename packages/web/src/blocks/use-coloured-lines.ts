import { useEffect, useState } from 'react';
import { type CodeLine, colouredLines, grammarName, loadGrammar } from './highlight.ts';

/** Longer code stays plain: colouring it would hold up the page. */
const MOST_COLOURED = 30_000;
/** How often code that still grows is coloured, in milliseconds. */
const EVERY_MS = 250;

interface Coloured {
  readonly code: string;
  readonly name: string;
  readonly lines: readonly CodeLine[];
}

/** The lines that are coloured so far, and what of the code is behind them. */
export function useColouredLines(
  code: string,
  language: string,
): { readonly lines: readonly CodeLine[]; readonly rest: string } {
  const name = code.length <= MOST_COLOURED ? grammarName(language) : undefined;
  const [done, setDone] = useState(() => colour(code, name));
  const isDone = done?.code === code && done.name === name;
  useEffect(() => {
    if (name === undefined || isDone) return;
    const draw = () => setDone(colour(code, name));
    if (done === undefined) {
      let isShown = true;
      void loadGrammar(name).then(
        () => isShown && draw(),
        () => undefined,
      );
      return () => {
        isShown = false;
      };
    }
    const timer = setTimeout(draw, EVERY_MS);
    return () => clearTimeout(timer);
  }, [code, name, isDone, done]);
  if (!done || done.name !== name || !code.startsWith(done.code)) return { lines: [], rest: code };
  return { lines: done.lines, rest: code.slice(done.code.length) };
}

function colour(code: string, name: string | undefined): Coloured | undefined {
  const lines = name === undefined ? undefined : colouredLines(code, name);
  return name !== undefined && lines ? { code, name, lines } : undefined;
}
