import { marked } from 'marked';
import { memo, type ReactElement, type ReactNode, useMemo } from 'react';
import type { Components } from 'react-markdown';
import ReactMarkdown from 'react-markdown';
import remarkGfm from 'remark-gfm';
import { t } from '../words/words.ts';
import { NoteMarks, readNotes } from './citations.tsx';
import { CodeBlock } from './code-block.tsx';
import { Formula } from './math/formula.tsx';
import { markMath, readMath } from './math/mark-math.ts';
import { RemoteImage, SafeLink } from './safe-link.tsx';

/** Markdown without raw HTML. Only the blocks that changed are rendered again. */
const RenderedMarkdown = memo(function RenderedMarkdown({ text }: { readonly text: string }) {
  const blocks = useMemo(() => splitMarkdown(markMath(text)), [text]);
  return (
    <div className="prose break-words [&>*:first-child]:mt-0 [&>*:last-child]:mb-0">
      {blocks.map((block, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: blocks are only ever added at the end
        <MarkdownBlock key={index} text={block} />
      ))}
    </div>
  );
});

export default RenderedMarkdown;

const MarkdownBlock = memo(function MarkdownBlock({ text }: { readonly text: string }) {
  return renderCached(text);
});

/** Rendered blocks, so that scrolling back does not parse markdown again. */
const known = new Map<string, ReactElement>();
const MOST_KNOWN = 2000;

function renderCached(text: string): ReactElement {
  const before = known.get(text);
  if (before) return before;
  // ReactMarkdown is a pure function of its properties, so its result can be cached.
  const made = ReactMarkdown({
    children: text,
    remarkPlugins: PLUGINS,
    components: COMPONENTS,
    urlTransform: sameAddress,
  });
  if (known.size >= MOST_KNOWN) known.clear();
  known.set(text, made);
  return made;
}

const PLUGINS = [remarkGfm];

/** Addresses are checked where they are rendered, in SafeLink. */
function sameAddress(url: string): string {
  return url;
}

/** Every heading of a model becomes an h3, one level below the heading of its message. */
function makeHeading(size: string) {
  return function Heading({ children }: { readonly children?: ReactNode }) {
    return (
      <h3 dir="auto" className={`mt-6 mb-2 font-semibold tracking-tight text-ink ${size}`}>
        {children}
      </h3>
    );
  };
}

const COMPONENTS: Components = {
  h1: makeHeading('text-xl'),
  h2: makeHeading('text-lg'),
  h3: makeHeading('text-base'),
  h4: makeHeading('text-sm'),
  h5: makeHeading('text-sm'),
  h6: makeHeading('text-sm text-soft'),
  p: ({ children }) => (
    <p dir="auto" className="my-3 whitespace-pre-wrap">
      {children}
    </p>
  ),
  ul: ({ children }) => (
    <ul dir="auto" className="my-3 list-disc ps-6 marker:text-faint [&_ul]:my-0">
      {children}
    </ul>
  ),
  ol: ({ children, start }) => (
    <ol dir="auto" start={start} className="my-3 list-decimal ps-6 marker:text-faint">
      {children}
    </ol>
  ),
  li: ({ children }) => <li className="my-1 [&>p]:my-1">{children}</li>,
  blockquote: ({ children }) => (
    <blockquote dir="auto" className="my-3 border-s-2 border-line-strong ps-4 text-soft">
      {children}
    </blockquote>
  ),
  hr: () => <hr className="my-4 border-line" />,
  table: ({ children }) => (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls sideways has to be reachable by key
    <figure aria-label={t('blocks.table')} tabIndex={0} className="my-3 overflow-x-auto rounded-lg border border-line">
      <table dir="auto" className="w-full border-collapse text-sm">
        {children}
      </table>
    </figure>
  ),
  th: ({ children, style }) => (
    <th style={style} className="border-b border-line bg-sunken px-3 py-1.5 text-start font-semibold">
      {children}
    </th>
  ),
  td: ({ children, style }) => (
    <td style={style} className="border-b border-line px-3 py-1.5 align-top [tr:last-child>&]:border-b-0">
      {children}
    </td>
  ),
  a: ({ href, children }) => <SafeLink href={href}>{children}</SafeLink>,
  img: ({ src, alt }) => <RemoteImage src={typeof src === 'string' ? src : undefined} alt={alt} />,
  input: ({ checked }) => (
    <span role="img" aria-label={checked ? t('blocks.task-done') : t('blocks.task-open')} className="mr-1">
      {checked ? '☑' : '☐'}
    </span>
  ),
  code: ({ children }) => {
    const text = typeof children === 'string' ? children : '';
    const math = readMath(text);
    if (math) return <Formula {...math} />;
    const numbers = readNotes(text);
    if (numbers) return <NoteMarks numbers={numbers} />;
    return (
      <code className="rounded bg-sunken px-1 py-0.5 font-mono text-[0.88em] [overflow-wrap:anywhere]">{children}</code>
    );
  },
  pre: ({ children }) => {
    const { className = '', children: code } = (children as ReactElement<{ className?: string; children?: ReactNode }>)
      .props;
    const language = /language-(\S+)/.exec(className)?.[1];
    return <CodeBlock code={String(code ?? '').replace(/\n$/, '')} {...(language && { language })} />;
  },
};

/** A reference or footnote definition must stay together with the text that uses it. */
const DEFINITION = /^ {0,3}\[[^\]\n]+\]:/m;

/**
 * Cuts markdown into its top-level blocks, which joined are the text again. While text streams only the last block
 * changes, so only that one is rendered again.
 */
export function splitMarkdown(text: string): readonly string[] {
  if (DEFINITION.test(text)) return [text];
  const blocks: string[] = [];
  for (const { type, raw } of marked.lexer(text)) {
    if (type === 'space' && blocks.length > 0) blocks[blocks.length - 1] += raw;
    else blocks.push(raw);
  }
  return blocks;
}
