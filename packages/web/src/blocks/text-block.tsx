import type { Citation } from '../api/types.ts';
import { Markdown } from './markdown.tsx';
import { SafeLink } from './safe-link.tsx';

export interface TextBlockProps {
  readonly text: string;
  readonly citations?: readonly Citation[];
  readonly firstNumber: number;
  readonly raw: boolean;
}

/** Text as markdown or as it was written, and what it rests on. */
export function TextBlock({ text, citations = [], firstNumber, raw }: TextBlockProps) {
  return (
    <>
      {raw ? (
        <pre dir="auto" className="font-mono text-[13px] leading-5 break-words whitespace-pre-wrap">
          {text}
        </pre>
      ) : (
        <Markdown text={text} />
      )}
      {citations.length > 0 && (
        <ol aria-label="Sources" className="my-1 flex flex-wrap gap-x-3 gap-y-1 text-xs text-soft">
          {citations.map(({ url, title, quote, native }, index) => (
            <li key={native} title={quote} className="flex max-w-72 min-w-0 gap-1">
              <span aria-hidden className="text-faint">
                [{firstNumber + index}]
              </span>
              <span className="truncate">
                {url === undefined ? (
                  <span>{title ?? quote ?? 'Source'}</span>
                ) : (
                  <SafeLink href={url}>{title ?? url}</SafeLink>
                )}
              </span>
            </li>
          ))}
        </ol>
      )}
    </>
  );
}
