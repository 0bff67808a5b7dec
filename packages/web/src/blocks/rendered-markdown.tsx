import { isValidElement, memo, type ReactElement, type ReactNode, useEffect, useMemo, useRef } from 'react';
import type { Components } from 'react-markdown';
import ReactMarkdown from 'react-markdown';
import remarkGfm from 'remark-gfm';
import { t } from '../words/words.ts';
import { NoteMarks, readNotes } from './citations.tsx';
import { CodeBlock } from './code-block.tsx';
import { Formula } from './math/formula.tsx';
import { markMath, readMath } from './math/mark-math.ts';
import { RemoteImage, SafeLink } from './safe-link.tsx';
import { type BlockPlan, planBlock, splitMarkdown } from './split-markdown.ts';

/** Markdown without raw HTML. Only the blocks that changed are rendered again. */
const RenderedMarkdown = memo(function RenderedMarkdown({ text }: { readonly text: string }) {
  const before = useRef<readonly string[]>([]);
  const blocks = useMemo(() => splitMarkdown(markMath(text), before.current), [text]);
  useEffect(() => {
    before.current = blocks;
  }, [blocks]);
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
  const plan = useMemo(() => planBlock(text), [text]);
  switch (plan.type) {
    case 'code':
      return <CodeBlock code={plan.code} {...(plan.language && { language: plan.language })} />;
    case 'list':
      return <PartedList {...plan} />;
    case 'table':
      return <PartedTable {...plan} />;
    default:
      return renderCached(text);
  }
});

type PlanOf<Type> = Extract<BlockPlan, { type: Type }>;

function PartedList({ parts, isLoose, start }: PlanOf<'list'>) {
  const items = parts.map((part, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: items are only ever added at the end
    <ListPart key={index} text={part} isLoose={isLoose} />
  ));
  return start === undefined ? <BulletList>{items}</BulletList> : <NumberedList start={start}>{items}</NumberedList>;
}

const ListPart = memo(function ListPart({ text, isLoose }: { readonly text: string; readonly isLoose: boolean }) {
  const items = findInside(renderCached(text), [BulletList, NumberedList]).filter(isValidElement);
  return isLoose ? items.slice(1) : items;
});

function PartedTable({ head, parts }: PlanOf<'table'>) {
  return (
    <Table>
      <thead>{findInside(renderCached(head), ['thead'])}</thead>
      <tbody>
        {parts.map((part, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: rows are only ever added at the end
          <TablePart key={index} text={part} />
        ))}
      </tbody>
    </Table>
  );
}

const TablePart = memo(function TablePart({ text }: { readonly text: string }) {
  return findInside(renderCached(text), ['tbody']);
});

/** What the outermost element of one of these types contains, in rendered Markdown. */
function findInside(rendered: ReactNode, types: readonly unknown[]): readonly ReactNode[] {
  if (!isValidElement<{ readonly children?: ReactNode }>(rendered)) return [];
  const children = [rendered.props.children].flat();
  if (types.includes(rendered.type)) return children;
  return children.map((child) => findInside(child, types)).find((found) => found.length > 0) ?? [];
}

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
  known.set(text, made);
  // The oldest is forgotten: text that streams leaves many behind, and what is on screen stays known.
  if (known.size > MOST_KNOWN) known.delete(known.keys().next().value!);
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

function BulletList({ children }: { readonly children?: ReactNode }) {
  return (
    <ul dir="auto" className="my-3 list-disc ps-6 marker:text-faint [&_ul]:my-0">
      {children}
    </ul>
  );
}

function NumberedList({ children, start }: { readonly children?: ReactNode; readonly start?: number | undefined }) {
  return (
    <ol dir="auto" start={start === 1 ? undefined : start} className="my-3 list-decimal ps-6 marker:text-faint">
      {children}
    </ol>
  );
}

function Table({ children }: { readonly children?: ReactNode }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls sideways has to be reachable by key
    <figure aria-label={t('blocks.table')} tabIndex={0} className="my-3 overflow-x-auto rounded-lg border border-line">
      <table dir="auto" className="w-full border-collapse text-sm">
        {children}
      </table>
    </figure>
  );
}

export const COMPONENTS: Components = {
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
  ul: BulletList,
  ol: NumberedList,
  li: ({ children }) => <li className="my-1 [&>p]:my-1">{children}</li>,
  blockquote: ({ children }) => (
    <blockquote dir="auto" className="my-3 border-s-2 border-line-strong ps-4 text-soft">
      {children}
    </blockquote>
  ),
  hr: () => <hr className="my-4 border-line" />,
  table: Table,
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
