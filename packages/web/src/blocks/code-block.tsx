import { Code, Download, Eye, WrapText } from 'lucide-react';
import { type CSSProperties, memo, type ReactNode, useEffect, useRef, useState } from 'react';
import { IconButton } from '../ui/button.tsx';
import { CopyButton } from '../ui/copy-button.tsx';
import { t } from '../words/words.ts';
import type { ColouredLine, HighlightRequest, HighlightResult } from './highlight-worker.ts';
import { fileEnding, type LanguageName, languageName } from './languages.ts';
import { Diagram, Drawing } from './previews/drawing.tsx';
import { HtmlPreview } from './previews/html-preview.tsx';

interface CodeBlockProps {
  readonly code: string;
  readonly language?: string;
  /** Without a frame of its own, as part of a card. */
  readonly bare?: boolean;
  readonly label?: string;
}

/** Code exactly as it was written, highlighted once the grammar is loaded. Highlighting moves no character. */
export const CodeBlock = memo(function CodeBlock({ code, language = '', bare = false, label }: CodeBlockProps) {
  const name = label ?? (language || 'text');
  const preview = bare ? undefined : previewOf(language, code);
  const [isPreviewed, setPreviewed] = useState(preview?.isFirst ?? false);
  const [isWrapped, setWrapped] = useState(false);
  const isDrawn = preview !== undefined && isPreviewed;
  const source = <Source code={code} language={language} isWrapped={isWrapped} />;
  return (
    <figure
      aria-label={t('blocks.code-label', { name })}
      className={bare ? 'relative' : 'my-3 overflow-hidden rounded-lg border border-line bg-sunken'}
    >
      <figcaption
        className={`flex h-8 items-center pr-1 pl-3 text-xs text-faint ${bare ? '' : 'border-b border-line'}`}
      >
        <span className="grow truncate">{name}</span>
        {preview && (
          <IconButton
            label={isPreviewed ? t('blocks.show-code') : t('blocks.show-preview')}
            onClick={() => setPreviewed(!isPreviewed)}
          >
            {isPreviewed ? <Code size={14} /> : <Eye size={14} />}
          </IconButton>
        )}
        {!isDrawn && (
          <IconButton label={t('blocks.wrap-lines')} pressed={isWrapped} onClick={() => setWrapped(!isWrapped)}>
            <WrapText size={14} />
          </IconButton>
        )}
        {!bare && (
          <IconButton label={t('blocks.download')} onClick={() => download(code, `code.${fileEnding(language)}`)}>
            <Download size={14} />
          </IconButton>
        )}
        <CopyButton text={code} label={t('blocks.copy-code')} />
      </figcaption>
      {isDrawn ? preview.show(source) : source}
    </figure>
  );
});

interface Preview {
  /** Whether the preview is shown before the code. */
  readonly isFirst: boolean;
  readonly show: (source: ReactNode) => ReactNode;
}

/** How code can be seen, if it can: diagrams and drawings as pictures, HTML in a sandbox. */
function previewOf(language: string, code: string): Preview | undefined {
  const name = language.toLowerCase();
  if (name === 'mermaid') return { isFirst: true, show: (source) => <Diagram code={code}>{source}</Diagram> };
  if (name === 'svg' || (name === 'xml' && /^\s*<svg[\s>]/.test(code)))
    // A drawing that is still being written is no picture yet.
    return {
      isFirst: true,
      show: (source) => (/<\/svg>\s*$/.test(code) ? <Drawing svg={code} label={t('blocks.drawing')} /> : source),
    };
  if (name === 'html' || name === 'htm') return { isFirst: false, show: () => <HtmlPreview html={code} /> };
  return undefined;
}

function download(text: string, name: string): void {
  const address = URL.createObjectURL(new Blob([text], { type: 'text/plain' }));
  const link = Object.assign(document.createElement('a'), { href: address, download: name });
  link.click();
  URL.revokeObjectURL(address);
}

interface SourceProps {
  readonly code: string;
  readonly language: string;
  readonly isWrapped: boolean;
}

function Source({ code, language, isWrapped }: SourceProps) {
  const { lines, rest } = useColouredLines(code, language);
  return (
    <pre
      dir="ltr"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls sideways has to be reachable by key
      tabIndex={0}
      className={`px-3 py-2 font-mono text-[13px] leading-5 ${isWrapped ? 'break-words whitespace-pre-wrap' : 'overflow-x-auto'}`}
    >
      <code>
        <ColouredLines lines={lines} />
        {rest}
      </code>
    </pre>
  );
}

const ColouredLines = memo(function Coloured({ lines }: { readonly lines: readonly ColouredLine[] }) {
  return lines.map((line, row) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: lines of code have no other name
    <Line key={row} line={line} isLast={row === lines.length - 1} />
  ));
});

/** Only the lines that changed are rendered again while code grows. */
const Line = memo(function Line({ line, isLast }: { readonly line: ColouredLine; readonly isLast: boolean }) {
  return (
    <span>
      {line.map(([text, light, dark], column) => (
        <span
          // biome-ignore lint/suspicious/noArrayIndexKey: pieces of a line have no other name
          key={column}
          style={{ '--light': light, '--dark': dark } as CSSProperties}
          className="text-(color:--light) dark:text-(color:--dark)"
        >
          {text}
        </span>
      ))}
      {!isLast && '\n'}
    </span>
  );
});

/** Longer code is not highlighted. */
const MOST_COLOURED = 100_000;
/** The interval, in milliseconds, at which growing code is highlighted; longer if highlighting itself takes long. */
const EVERY_MS = 200;
const TIMES_AS_LONG = 4;

/** The lines that are highlighted so far, and the rest of the code. */
function useColouredLines(
  code: string,
  language: string,
): { readonly lines: readonly ColouredLine[]; readonly rest: string } {
  const name = code.length <= MOST_COLOURED ? languageName(language) : undefined;
  const [round, setRound] = useState({ number: 0, wait: 0 });
  const latest = useRef(code);
  useEffect(() => {
    latest.current = code;
  }, [code]);
  const before = name === undefined ? undefined : colouredBefore(code, name);
  const isDone = name === undefined || before?.code === code || before?.code === '';
  useEffect(() => {
    if (isDone) return;
    let isShown = true;
    const ask = async () => {
      const asked = performance.now();
      await colour(latest.current, name);
      const wait = Math.max(EVERY_MS, TIMES_AS_LONG * (performance.now() - asked));
      if (isShown) setRound({ number: round.number + 1, wait });
    };
    // Code that arrives meanwhile does not begin the wait anew: in a fast stream it would never end.
    const timer = setTimeout(() => void ask(), round.wait);
    return () => {
      isShown = false;
      clearTimeout(timer);
    };
  }, [name, isDone, round]);
  return before ? { lines: before.lines, rest: code.slice(before.code.length) } : { lines: [], rest: code };
}

interface ColouredCode {
  readonly code: string;
  readonly name: LanguageName;
  readonly lines: readonly ColouredLine[];
}

/** Highlighted code, the latest last, so that code that scrolls back into view is coloured at once. */
const done = new Map<string, ColouredCode>();
const MOST_KEPT = 300;
/** How many of the latest entries are searched for the beginning of code that still grows. */
const RECENT = 6;

let worker: Worker | undefined;
let last = 0;
const waiting = new Map<number, (lines: readonly ColouredLine[]) => void>();

/** Highlights code in the worker. If that fails, the code stays plain. */
async function colour(code: string, name: LanguageName): Promise<ColouredCode> {
  worker ??= start();
  const asked: HighlightRequest = { id: ++last, code, name };
  const lines = await new Promise<readonly ColouredLine[]>((resolve) => {
    waiting.set(asked.id, resolve);
    worker?.postMessage(asked);
  });
  const known = colouredBefore(code, name)?.lines ?? [];
  const kept = lines.map((line, row) => (known[row] && isSameLine(line, known[row]) ? known[row] : line));
  const coloured = lines.length > 0 ? { code, name, lines: kept } : { code: '', name, lines };
  done.set(`${name} ${code}`, coloured);
  for (const key of done.keys()) {
    if (done.size <= MOST_KEPT) break;
    done.delete(key);
  }
  return coloured;
}

function isSameLine(a: ColouredLine, b: ColouredLine): boolean {
  return a.length === b.length && a.every((piece, column) => piece.every((value, at) => value === b[column]![at]));
}

/** The cached highlighting of some code, or of its beginning. */
function colouredBefore(code: string, name: LanguageName): ColouredCode | undefined {
  const exact = done.get(`${name} ${code}`);
  if (exact) return exact;
  const recent = [...done.values()].slice(-RECENT);
  return recent.findLast((one) => one.name === name && one.code !== '' && code.startsWith(one.code));
}

function start(): Worker {
  const made = new Worker(new URL('./highlight-worker.ts', import.meta.url), { type: 'module' });
  made.addEventListener('message', ({ data: { id, lines } }: MessageEvent<HighlightResult>) => {
    waiting.get(id)?.(lines);
    waiting.delete(id);
  });
  return made;
}
