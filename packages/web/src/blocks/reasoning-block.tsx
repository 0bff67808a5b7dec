import { Brain } from 'lucide-react';
import { shortNumber } from '../ui/format.ts';
import { Fold } from './fold.tsx';
import { useFold } from './folds.ts';
import { oneLine } from './in-words.ts';
import { Markdown } from './markdown.tsx';

export interface ReasoningBlockProps {
  readonly node: string;
  readonly place: number;
  readonly text: string;
  readonly redacted: boolean;
  readonly isLive: boolean;
}

/** What a model thought, in one line until it is asked for. */
export function ReasoningBlock({ node, place, text, redacted, isLive }: ReasoningBlockProps) {
  const [isOpen, toggle] = useFold(node, place);
  const size = text === '' ? '' : `${shortNumber(text.length)} characters`;
  const title = redacted ? 'Reasoning, redacted' : isLive ? 'Thinking' : 'Thought';
  return (
    <Fold
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
              : 'The provider kept the thought to itself.'}
          </p>
        ) : (
          <Markdown text={text} />
        )}
      </div>
    </Fold>
  );
}
