import { Puzzle } from 'lucide-react';
import { useState } from 'react';
import { t, tx } from '../words/words.ts';
import { CodeBlock } from './code-block.tsx';
import { Foldable } from './fold.tsx';
import { prettyJson } from './json-text.ts';

/** Longer JSON would push the text of the message away. */
const MOST_LINES = 12;

/** A block of a kind that this page does not know, shown as JSON; a long one is folded. */
export function UnknownBlock({ native }: { readonly native: string }) {
  const code = prettyJson(native);
  const [isOpen, setOpen] = useState(code.split('\n', MOST_LINES + 1).length <= MOST_LINES);
  const type = nativeType(native);
  return (
    <Foldable
      label={t('blocks.unknown-block', { type })}
      isOpen={isOpen}
      onToggle={() => setOpen(!isOpen)}
      summary={
        <>
          <Puzzle size={14} aria-hidden className="shrink-0" />
          {tx('blocks.unknown-about', { type: <code className="truncate font-mono">{type}</code> })}
        </>
      }
    >
      <div className="max-h-96 overflow-y-auto">
        <CodeBlock bare code={code} language="json" label="JSON" />
      </div>
    </Foldable>
  );
}

/** The type that the block names itself. */
function nativeType(native: string): string {
  try {
    const value = JSON.parse(native) as unknown;
    if (typeof value !== 'object' || value === null) return typeof value;
    const { type } = value as { type?: unknown };
    return typeof type === 'string' ? type : (Object.keys(value)[0] ?? t('blocks.empty-object'));
  } catch {
    return t('blocks.not-json');
  }
}
