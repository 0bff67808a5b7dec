import { Ban } from 'lucide-react';
import { memo } from 'react';
import type { Block } from '../api/types.ts';
import { MediaBlock } from './media-block.tsx';
import { ReasoningBlock } from './reasoning-block.tsx';
import { ResultContent } from './result-content.tsx';
import { TextBlock } from './text-block.tsx';
import { type Result, ToolCard } from './tool-card.tsx';
import { UnknownBlock } from './unknown-block.tsx';

export interface BlocksProps {
  /** The node, or what streams: its folds are remembered by it. */
  readonly node: string;
  readonly blocks: readonly Block[];
  /** Results by the id of their call. */
  readonly results?: ReadonlyMap<string, Result>;
  /** Results that stand with their calls already. */
  readonly shownResults?: ReadonlyMap<string, string>;
  readonly raw?: boolean;
  readonly isLive?: boolean;
  /** Calls whose tools run. */
  readonly running?: ReadonlyMap<string, string>;
}

/** A message, block by block, in exactly the order it has. */
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
    default:
      return <UnknownBlock native={block.native ?? JSON.stringify(block)} />;
  }
}

/** Which blocks of a message can be folded. */
export function foldablePlaces(blocks: readonly Block[]): readonly number[] {
  return blocks.flatMap(({ type }, index) => (type === 'reasoning' || type === 'tool-use' ? [index] : []));
}
