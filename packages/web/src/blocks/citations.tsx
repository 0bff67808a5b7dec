import { Quote } from 'lucide-react';
import { createContext, useContext } from 'react';
import type { Citation } from '../api/types.ts';
import { Popover } from '../ui/popover.tsx';
import { t } from '../words/words.ts';
import { SafeLink } from './safe-link.tsx';

/** A source with its number in the message: what is cited twice has one number. */
interface NumberedCitation {
  readonly number: number;
  readonly citation: Citation;
}

/** Numbers the citations of a message, block by block. */
export function numberCitations(
  blocks: readonly { readonly citations?: readonly Citation[] | undefined }[],
): readonly (readonly NumberedCitation[])[] {
  const numbers = new Map<string, number>();
  return blocks.map(({ citations = [] }) => {
    const own = new Map<number, Citation>();
    for (const citation of citations) {
      const source = citation.url ?? citation.title ?? citation.native;
      const number = numbers.get(source) ?? numbers.size + 1;
      numbers.set(source, number);
      if (!own.has(number)) own.set(number, citation);
    }
    return [...own].map(([number, citation]) => ({ number, citation }));
  });
}

/** A text and the sources that it cites. */
export interface CitedText {
  readonly text: string;
  readonly notes: readonly NumberedCitation[];
}

/** A character of the private use area, which stands for nothing in a text. */
const NOTE = '\uE0D3';

/** Joins texts, with the numbers of their sources behind each: in a code span, which every Markdown reader leaves alone. */
export function joinCited(texts: readonly CitedText[]): string {
  return texts
    .map(({ text, notes }) => {
      if (notes.length === 0) return text;
      const end = text.trimEnd();
      // Behind the end of a fence there can be nothing in the same line.
      const gap = /(?:^|\n)[ \t]*(?:```|~~~)$/.test(end) ? '\n\n' : '';
      return `${end}${gap}\`${NOTE}${notes.map(({ number }) => number).join(' ')}${NOTE}\`${text.slice(end.length)}`;
    })
    .join('');
}

/** The numbers in a code span that `joinCited` made; undefined for ordinary code. */
export function readNotes(code: string): readonly number[] | undefined {
  return code.startsWith(NOTE) ? code.slice(1, -1).split(' ').map(Number) : undefined;
}

/** The sources of the text that is being rendered. Rendered Markdown is cached by its text, which has only their numbers. */
export const NotesContext = createContext<readonly NumberedCitation[]>([]);

/** The numbers of sources in a text, each of which opens a preview. */
export function NoteMarks({ numbers }: { readonly numbers: readonly number[] }) {
  const notes = useContext(NotesContext);
  return numbers.map((number) => {
    const note = notes.find((one) => one.number === number);
    return (
      note && (
        <Popover
          key={number}
          label={t('blocks.citation', { number })}
          side="top"
          trigger={
            <button
              type="button"
              aria-label={t('blocks.citation-named', { number, name: shortName(note.citation) })}
              className="mx-0.5 inline-flex h-4 min-w-4 items-center justify-center rounded bg-accent-soft px-1 align-super text-[10px] leading-none font-semibold text-accent tabular-nums hover:bg-accent hover:text-accent-ink"
            >
              {number}
            </button>
          }
        >
          <SourcePreview {...note.citation} />
        </Popover>
      )
    );
  });
}

/** The footnotes of a text. Each opens a preview of its source. */
export function Footnotes({ notes }: { readonly notes: readonly NumberedCitation[] }) {
  if (notes.length === 0) return null;
  return (
    <ol aria-label={t('blocks.sources')} className="my-1.5 flex flex-wrap gap-1.5">
      {notes.map(({ number, citation }) => (
        <li key={number}>
          <Popover
            label={t('blocks.citation', { number })}
            side="top"
            trigger={
              <button
                type="button"
                className="flex h-6 pointer-coarse:h-10 max-w-56 items-center gap-1.5 rounded-full bg-sunken pr-2.5 pl-1 text-xs text-soft hover:bg-hover hover:text-ink"
              >
                <span className="flex size-4 shrink-0 items-center justify-center rounded-full bg-hover text-[10px] font-semibold text-ink tabular-nums">
                  {number}
                </span>
                <span className="truncate">{shortName(citation)}</span>
              </button>
            }
          >
            <SourcePreview {...citation} />
          </Popover>
        </li>
      ))}
    </ol>
  );
}

function SourcePreview({ url, title, quote }: Citation) {
  return (
    <div className="flex flex-col gap-2">
      <p className="font-medium">{title ?? (url === undefined ? t('blocks.citation-preview') : shortName({ url }))}</p>
      {url !== undefined && (
        <p className="truncate text-xs">
          <SafeLink href={url}>{url}</SafeLink>
        </p>
      )}
      {quote !== undefined && quote !== '' && (
        <blockquote className="flex gap-2 rounded-lg bg-sunken p-2 text-xs text-soft">
          <Quote size={12} aria-hidden className="mt-0.5 shrink-0" />
          <span className="max-h-40 overflow-y-auto">{quote}</span>
        </blockquote>
      )}
    </div>
  );
}

/** The host of an address, else the title or the cited words. */
function shortName({ url, title, quote }: Partial<Citation>): string {
  if (url !== undefined && URL.canParse(url)) return new URL(url).hostname.replace(/^www\./, '') || url;
  return title ?? quote ?? t('blocks.citation-preview');
}
