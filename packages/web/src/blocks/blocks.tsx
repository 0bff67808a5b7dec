import { Ban, Brain } from 'lucide-react';
import { lazy, memo, Suspense } from 'react';
import type { Block, Citation, ToolResult } from '../api/types.ts';
import { shortNumber } from '../ui/format.ts';
import { Foldable } from './fold.tsx';
import { useFold } from './folds.ts';
import { unknownText } from './json-text.ts';
import { MediaBlock } from './media-block.tsx';
import { SafeLink } from './safe-link.tsx';
import { oneLine } from './summary.ts';
import { ResultContent, ToolCard } from './tool-card.tsx';
import { UnknownBlock } from './unknown-block.tsx';

interface BlocksProps {
  /** The id of the node or of the live branch. Unfolded parts are remembered by it. */
  readonly node: string;
  readonly blocks: readonly Block[];
  /** Results by the id of their call. */
  readonly results?: ReadonlyMap<string, ToolResult>;
  /** Results that are already shown with their calls. */
  readonly shownResults?: ReadonlyMap<string, string>;
  readonly raw?: boolean;
  readonly isLive?: boolean;
  /** Calls whose tools are running. */
  readonly running?: ReadonlyMap<string, string>;
}

/** A message block by block, in its original order. */
export const Blocks = memo(function Blocks(props: BlocksProps) {
  const { blocks } = props;
  let cited = 1;
  return blocks.map((block, index) => {
    const firstNumber = cited;
    if (block.type === 'text') cited += block.citations?.length ?? 0;
    // biome-ignore lint/suspicious/noArrayIndexKey: the order of blocks never changes
    return <OneBlock key={index} {...props} block={block} place={index} firstNumber={firstNumber} />;
  });
});

interface OneBlockProps extends BlocksProps {
  readonly block: Block;
  readonly place: number;
  readonly firstNumber: number;
}

function OneBlock({ block, place, firstNumber, ...props }: OneBlockProps) {
  const { node, blocks, results, shownResults, raw = false, isLive = false, running } = props;
  const isGrowing = isLive && place === blocks.length - 1;
  switch (block.type) {
    case 'text':
      return <TextBlock {...block} firstNumber={firstNumber} raw={raw} />;
    case 'reasoning':
      return <ReasoningBlock {...block} node={node} place={place} isLive={isGrowing} />;
    case 'tool-use': {
      const result = results?.get(block.id);
      const state = running?.has(block.id) ? 'running' : isLive ? 'writing' : undefined;
      return <ToolCard node={node} place={place} call={block} {...(result && { result })} {...(state && { state })} />;
    }
    case 'tool-result':
      if (shownResults?.has(block.toolCallId)) return null;
      return (
        <article aria-label="Tool result" className="my-2 rounded-lg border border-line bg-surface">
          <ResultContent content={block.content} isError={block.isError} />
        </article>
      );
    case 'media':
      return <MediaBlock {...block} />;
    case 'refusal':
      return (
        <article aria-label="Refusal" className="my-2 flex gap-2 rounded-lg bg-warn-soft p-3 text-warn">
          <Ban size={16} aria-hidden className="mt-0.5 shrink-0" />
          <div>
            <p className="text-xs font-medium">Declined</p>
            <p className="break-words whitespace-pre-wrap">{block.text}</p>
          </div>
        </article>
      );
    case 'unknown':
      return <UnknownBlock native={block.native} />;
    default:
      return <UnknownBlock native={unknownText(block)} />;
  }
}

/** Which blocks of a message can be folded. */
export function foldablePlaces(blocks: readonly Block[]): readonly number[] {
  return blocks.flatMap(({ type }, index) => (type === 'reasoning' || type === 'tool-use' ? [index] : []));
}

interface TextBlockProps {
  readonly text: string;
  readonly citations?: readonly Citation[] | undefined;
  readonly firstNumber: number;
  readonly raw: boolean;
}

/** Text as markdown or as written, with its citations. */
function TextBlock({ text, citations = [], firstNumber, raw }: TextBlockProps) {
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

interface ReasoningBlockProps {
  readonly node: string;
  readonly place: number;
  readonly text: string;
  readonly redacted: boolean;
  readonly isLive: boolean;
}

/** The reasoning of a model, folded to one line. */
function ReasoningBlock({ node, place, text, redacted, isLive }: ReasoningBlockProps) {
  const [isOpen, toggle] = useFold(node, place);
  const size = text === '' ? '' : `${shortNumber(text.length)} characters`;
  const title = redacted ? 'Reasoning, redacted' : isLive ? 'Thinking' : 'Thought';
  return (
    <Foldable
      label="Reasoning"
      isOpen={isOpen}
      onToggle={toggle}
      summary={
        <>
          <Brain size={14} aria-hidden className={`shrink-0 ${isLive ? 'animate-pulse text-accent' : ''}`} />
          <span className="shrink-0 font-medium">{title}</span>
          {size && <span className="shrink-0 text-faint">{size}</span>}
          {!isOpen && !isLive && <span className="truncate text-faint italic">{oneLine(text, 160)}</span>}
        </>
      }
    >
      <div className="p-3 text-soft">
        {text === '' ? (
          <p>
            {redacted
              ? 'The provider sent this encrypted. It is kept, and sent back to it with the next request.'
              : 'The provider did not send the reasoning.'}
          </p>
        ) : (
          <Markdown text={text} />
        )}
      </div>
    </Foldable>
  );
}

// Loaded at once, so that it is ready with the first messages. It is a quarter of the page's code.
const loading = import('./rendered-markdown.tsx');
const RenderedMarkdown = lazy(() => loading);

/** Text as markdown, shown as written until the renderer is loaded. */
function Markdown({ text }: { readonly text: string }) {
  return (
    <Suspense fallback={<PlainText text={text} />}>
      <RenderedMarkdown text={text} />
    </Suspense>
  );
}

function PlainText({ text }: { readonly text: string }) {
  return (
    <p dir="auto" className="prose break-words whitespace-pre-wrap">
      {text}
    </p>
  );
}
