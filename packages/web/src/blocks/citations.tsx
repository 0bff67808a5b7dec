import { Quote } from 'lucide-react';
import type { Citation } from '../api/types.ts';
import { Popover } from '../ui/popover.tsx';
import { SafeLink } from './safe-link.tsx';

/** A source with its number in the message: what is cited twice has one number. */
export interface NumberedCitation {
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

/** The footnotes of a text. Each opens a preview of its source. */
export function Footnotes({ notes }: { readonly notes: readonly NumberedCitation[] }) {
  if (notes.length === 0) return null;
  return (
    <ol aria-label="Sources" className="my-1.5 flex flex-wrap gap-1.5">
      {notes.map(({ number, citation }) => (
        <li key={number}>
          <Popover
            label={`Source ${number}`}
            side="top"
            trigger={
              <button
                type="button"
                className="flex h-6 max-w-56 items-center gap-1.5 rounded-full bg-sunken pr-2.5 pl-1 text-xs text-soft hover:bg-hover hover:text-ink"
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
      <p className="font-medium">{title ?? (url === undefined ? 'Source' : shortName({ url }))}</p>
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
  return title ?? quote ?? 'Source';
}
