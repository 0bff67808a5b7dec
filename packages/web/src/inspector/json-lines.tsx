import { ChevronRight } from 'lucide-react';
import { Fragment, type ReactNode, useMemo, useState } from 'react';
import { Button } from '../ui/button.tsx';
import { t } from '../words/words.ts';

interface JsonLinesProps {
  /** JSON with one line per value, or server-sent events whose data are written so. */
  readonly text: string;
  /** Draws a line. */
  readonly children: (line: string) => ReactNode;
}

/** The number of lines that are drawn at first; a text may have a million. */
const CHUNK = 1500;
const PREVIEW = 120;

/** JSON line by line; objects and lists fold to one line. */
export function JsonLines({ text, children }: JsonLinesProps) {
  const lines = useMemo(() => text.split('\n'), [text]);
  const ends = useMemo(() => matchBrackets(lines), [lines]);
  const [folded, setFolded] = useState<ReadonlySet<number>>(() => foldedAtFirst(lines, ends));
  const [most, setMost] = useState(CHUNK);
  const shown = visibleLines(lines.length, ends, folded, most);
  const last = shown.at(-1);
  const rest = last === undefined ? 0 : lines.length - 1 - (folded.has(last) ? ends.get(last)! : last);
  const toggle = (index: number) =>
    setFolded((before) => new Set(before.has(index) ? [...before].filter((one) => one !== index) : [...before, index]));
  const isAllFolded = [...ends.keys()].every((index) => index === 0 || folded.has(index));
  return (
    <>
      {ends.size > 1 && (
        <Button
          small
          look="quiet"
          className="mb-1"
          onClick={() => setFolded(new Set(isAllFolded ? [] : [...ends.keys()].filter((index) => index > 0)))}
        >
          {t(isAllFolded ? 'text.unfold-all' : 'text.fold-all')}
        </Button>
      )}
      <pre className="font-mono text-xs leading-5 wrap-anywhere whitespace-pre-wrap">
        {shown.map((index) => {
          const end = ends.get(index);
          const isFolded = folded.has(index);
          const line = lines[index]!;
          return (
            <Fragment key={index}>
              <span className="flex">
                {end === undefined ? (
                  <span className="w-5 shrink-0" />
                ) : (
                  <button
                    type="button"
                    aria-expanded={!isFolded}
                    aria-label={t('text.lines', { from: index + 1, to: end + 1 })}
                    onClick={() => toggle(index)}
                    className="flex h-5 w-5 shrink-0 items-center justify-center rounded text-faint hover:bg-hover hover:text-ink"
                  >
                    <ChevronRight size={12} aria-hidden className={isFolded ? '' : 'rotate-90'} />
                  </button>
                )}
                <span className="min-w-0 grow">{children(isFolded ? foldLine(lines, index, end!) : line)}</span>
              </span>
              {/* Copied text has its lines. */}
              <span className="sr-only">{'\n'}</span>
            </Fragment>
          );
        })}
      </pre>
      {rest > 0 && (
        <Button small className="my-2" onClick={() => setMost(most * 2)}>
          {t('text.more-lines', { count: rest })}
        </Button>
      )}
    </>
  );
}

/** Where the object or list that a line opens is closed. */
function matchBrackets(lines: readonly string[]): ReadonlyMap<number, number> {
  const ends = new Map<number, number>();
  const open: number[] = [];
  for (const [index, line] of lines.entries()) {
    if (/^\s*[}\]],?$/.test(line)) {
      const start = open.pop();
      if (start !== undefined) ends.set(start, index);
    }
    if (/[{[]$/.test(line)) open.push(index);
  }
  return ends;
}

/** The events of a stream are folded at first: there are hundreds, and each says little. */
function foldedAtFirst(lines: readonly string[], ends: ReadonlyMap<number, number>): ReadonlySet<number> {
  return new Set([...ends.keys()].filter((index) => /^data: /.test(lines[index]!)));
}

function visibleLines(
  count: number,
  ends: ReadonlyMap<number, number>,
  folded: ReadonlySet<number>,
  most: number,
): readonly number[] {
  const shown: number[] = [];
  for (let index = 0; index < count && shown.length < most; index += 1) {
    shown.push(index);
    if (folded.has(index)) index = ends.get(index)!;
  }
  return shown;
}

function foldLine(lines: readonly string[], start: number, end: number): string {
  const inner = lines
    .slice(start + 1, Math.min(end, start + 40))
    .map((line) => line.trim())
    .join(' ');
  const cut = inner.length > PREVIEW ? `${inner.slice(0, PREVIEW)} …` : inner;
  return `${lines[start]} ${cut} ${lines[end]!.trim()}`;
}
