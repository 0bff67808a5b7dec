import { Puzzle } from 'lucide-react';
import { t } from '../words/words.ts';
import { CodeBlock } from './code-block.tsx';
import { prettyJson } from './json-text.ts';

/** A block of a kind that this page does not know, shown as JSON. */
export function UnknownBlock({ native }: { readonly native: string }) {
  return (
    <article
      aria-label={t('blocks.unknown-block', { nativeType: nativeType(native) })}
      className="my-2 rounded-lg border border-dashed border-line-strong"
    >
      <p className="flex h-8 items-center gap-2 px-3 text-xs text-soft">
        <Puzzle size={14} aria-hidden className="shrink-0" />
        <span className="font-medium">{t('blocks.specific-to-its')}</span>
        <code className="truncate font-mono">{nativeType(native)}</code>
      </p>
      <div className="max-h-96 overflow-y-auto border-t border-line">
        <CodeBlock bare code={prettyJson(native)} language="json" label="JSON" />
      </div>
    </article>
  );
}

/** The type that the block names itself. */
function nativeType(native: string): string {
  try {
    const value = JSON.parse(native) as unknown;
    if (typeof value !== 'object' || value === null) return typeof value;
    const { type } = value as { type?: unknown };
    return typeof type === 'string' ? type : (Object.keys(value)[0] ?? 'empty');
  } catch {
    return 'not JSON';
  }
}
