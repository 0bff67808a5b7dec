import { Ban, Brain, ChevronRight } from 'lucide-react';
import { lazy, memo, Suspense } from 'react';
import type { Block, ToolResult } from '../api/types.ts';
import { useThoughtTime } from '../state/thought-times.ts';
import { duration } from '../ui/format.ts';
import { t } from '../words/words.ts';
import { type CitedText, Footnotes, joinCited, NotesContext, numberCitations } from './citations.tsx';
import { useFold } from './folds.ts';
import { unknownText } from './json-text.ts';
import { MediaBlock } from './media-block.tsx';
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
  const { blocks, raw = false } = props;
  const notes = numberCitations(blocks.map((block) => (block.type === 'text' ? block : {})));
  return groupBlocks(blocks).map((places) => {
    const first = blocks[places[0]!]!;
    if (first.type === 'text') {
      const texts = places.map((place) => ({ text: textAt(blocks, place), notes: notes[place]! }));
      return <TextBlock key={places[0]} texts={texts} raw={raw} />;
    }
    const shown = places.map((place) => <OneBlock key={place} {...props} block={blocks[place]!} place={place} />);
    if (places.length === 1) return shown[0];
    return (
      <div
        key={places[0]}
        className="my-2 grid gap-2 sm:grid-cols-2 [&>article]:my-0 [&>article:has([aria-expanded=true])]:col-span-full"
      >
        {shown}
      </div>
    );
  });
});

function textAt(blocks: readonly Block[], place: number): string {
  const block = blocks[place]!;
  return block.type === 'text' ? block.text : '';
}

/**
 * The places of blocks, in groups: calls that follow one another are shown side by side, and texts of which one has citations are
 * one text, because providers cut a paragraph where a citation ends.
 */
function groupBlocks(blocks: readonly Block[]): readonly (readonly number[])[] {
  const groups: number[][] = [];
  for (const [place, block] of blocks.entries()) {
    const last = groups.at(-1);
    const before = last && blocks[last.at(-1)!]!;
    const isCall = block.type === 'tool-use' && before?.type === 'tool-use';
    if (last && (isCall || (before && isCited(before, block)))) last.push(place);
    else groups.push([place]);
  }
  return groups;
}

function isCited(before: Block, block: Block): boolean {
  if (before.type !== 'text' || block.type !== 'text') return false;
  return [before, block].some(({ citations = [] }) => citations.length > 0);
}

interface OneBlockProps extends BlocksProps {
  readonly block: Block;
  readonly place: number;
}

function OneBlock({ block, place, ...props }: OneBlockProps) {
  const { node, blocks, results, shownResults, isLive = false, running } = props;
  const isGrowing = isLive && place === blocks.length - 1;
  switch (block.type) {
    case 'text':
      return <Markdown text={block.text} />;
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
        <article aria-label={t('blocks.tool-result')} className="my-2 rounded-lg border border-line bg-surface">
          <ResultContent content={block.content} isError={block.isError} />
        </article>
      );
    case 'media':
      return <MediaBlock {...block} />;
    case 'refusal':
      return (
        <article aria-label={t('blocks.refusal')} className="my-2 flex gap-2 rounded-lg bg-warn-soft p-3 text-warn">
          <Ban size={16} aria-hidden className="mt-0.5 shrink-0" />
          <div>
            <p className="text-xs font-medium">{t('blocks.declined')}</p>
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
  readonly texts: readonly CitedText[];
  readonly raw: boolean;
}

/** Text as markdown or as written, with its footnotes. */
function TextBlock({ texts, raw }: TextBlockProps) {
  const notes = [...new Map(texts.flatMap((one) => one.notes).map((note) => [note.number, note])).values()];
  return (
    <div className="mt-3 first:mt-0">
      {raw ? (
        <pre dir="auto" className="font-mono text-[13px] leading-5 break-words whitespace-pre-wrap">
          {texts.map(({ text }) => text).join('')}
        </pre>
      ) : (
        <NotesContext value={notes}>
          <Markdown text={joinCited(texts)} />
        </NotesContext>
      )}
      <Footnotes notes={notes} />
    </div>
  );
}

interface ReasoningBlockProps {
  readonly node: string;
  readonly place: number;
  readonly text: string;
  readonly redacted: boolean;
  readonly isLive: boolean;
}

/** The reasoning of a model: a quiet line that opens to it. */
function ReasoningBlock({ node, place, text, redacted, isLive }: ReasoningBlockProps) {
  const [isOpen, toggle] = useFold(node, place);
  const ms = useThoughtTime(node, place);
  const title = redacted
    ? t('blocks.reasoning-redacted')
    : isLive
      ? t('blocks.thinking')
      : ms === undefined
        ? t('blocks.thought')
        : t('blocks.thought-for', { time: duration(ms) });
  const size = text === '' || ms !== undefined ? '' : t('blocks.thought-size', { count: text.length });
  return (
    <article aria-label={t('blocks.reasoning')} className="my-1">
      <button
        type="button"
        aria-expanded={isOpen}
        onClick={toggle}
        className="-ml-1.5 flex h-7 pointer-coarse:h-10 max-w-full items-center gap-1.5 rounded-md px-1.5 text-left text-xs text-soft hover:bg-hover hover:text-ink"
      >
        <Brain size={14} aria-hidden className={`shrink-0 ${isLive ? 'animate-pulse text-accent' : ''}`} />
        <span className="shrink-0 font-medium">{title}</span>
        {size && <span className="shrink-0 text-faint">{size}</span>}
        {!isOpen && (
          <span className="min-w-0 truncate text-faint italic">{oneLine(isLive ? text.slice(-160) : text, 160)}</span>
        )}
        <ChevronRight size={12} aria-hidden className={`shrink-0 ${isOpen ? 'rotate-90' : ''}`} />
      </button>
      {isOpen && (
        <div className="mt-1 mb-2 border-s-2 border-line ps-4 text-soft [&_.prose]:text-sm">
          {text === '' ? (
            <p className="text-sm">{redacted ? t('blocks.reasoning-encrypted') : t('blocks.reasoning-withheld')}</p>
          ) : (
            <Markdown text={text} />
          )}
        </div>
      )}
    </article>
  );
}

/** Loads the renderer. It is a quarter of the page's code; a screen that will show messages asks for it together with them. */
export const loadMarkdown = () => import('./rendered-markdown.tsx');
const RenderedMarkdown = lazy(loadMarkdown);

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
