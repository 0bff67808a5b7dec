import { type CSSProperties, memo } from 'react';
import { CopyButton } from '../ui/copy-button.tsx';
import type { CodeLine } from './highlight-worker.ts';
import { useColouredLines } from './use-coloured-lines.ts';

export interface CodeBlockProps {
  readonly code: string;
  readonly language?: string;
  /** Without its own frame and header, as part of a card. */
  readonly bare?: boolean;
  readonly label?: string;
}

/** Code as it was written, coloured when the grammar is there: the same letters in the same places. */
export const CodeBlock = memo(function CodeBlock({ code, language = '', bare = false, label }: CodeBlockProps) {
  const { lines, rest } = useColouredLines(code, language);
  const name = label ?? (language || 'text');
  return (
    <figure
      aria-label={`Code: ${name}`}
      className={bare ? 'relative' : 'my-3 overflow-hidden rounded-lg border border-line bg-sunken'}
    >
      <figcaption
        className={`flex items-center justify-between pr-1 pl-3 text-xs text-faint ${bare ? '' : 'border-b border-line'}`}
      >
        {name}
        <CopyButton text={code} label="Copy code" />
      </figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls sideways has to be reachable by key */}
      <pre dir="ltr" tabIndex={0} className="overflow-x-auto px-3 py-2 font-mono text-[13px] leading-5">
        <code>
          <Coloured lines={lines} />
          {rest}
        </code>
      </pre>
    </figure>
  );
});

const Coloured = memo(function Coloured({ lines }: { readonly lines: readonly CodeLine[] }) {
  return lines.map((line, row) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: lines of code have no other name
    <span key={row}>
      {line.map(([text, light, dark], column) => (
        <span
          // biome-ignore lint/suspicious/noArrayIndexKey: nor have their pieces
          key={column}
          style={{ '--light': light, '--dark': dark } as CSSProperties}
          className="text-(color:--light) dark:text-(color:--dark)"
        >
          {text}
        </span>
      ))}
      {row < lines.length - 1 && '\n'}
    </span>
  ));
});
