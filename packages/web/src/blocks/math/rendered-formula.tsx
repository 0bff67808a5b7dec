import katex from 'katex';
import { t } from '../../words/words.ts';
import 'katex/dist/katex.min.css';
import { memo } from 'react';

interface RenderedFormulaProps {
  readonly tex: string;
  readonly isDisplay: boolean;
}

/** A formula as KaTeX draws it. One that it cannot read is shown as it was written. */
export default memo(function RenderedFormula({ tex, isDisplay }: RenderedFormulaProps) {
  const markup = render(tex, isDisplay);
  if (markup === undefined)
    return (
      <code title={t('blocks.formula-unreadable')} className="rounded bg-sunken px-1 font-mono text-[0.9em] text-soft">
        {tex}
      </code>
    );
  return (
    <span
      {...(isDisplay && { tabIndex: 0, role: 'group', 'aria-label': t('blocks.formula') })}
      className={isDisplay ? 'block overflow-x-auto overflow-y-hidden py-1' : ''}
      // biome-ignore lint/security/noDangerouslySetInnerHtml: KaTeX escapes all of the text, and without `trust` makes no links
      dangerouslySetInnerHTML={{ __html: markup }}
    />
  );
});

function render(tex: string, displayMode: boolean): string | undefined {
  try {
    return katex.renderToString(tex, { displayMode, trust: false, strict: 'ignore', maxExpand: 300, maxSize: 20 });
  } catch {
    return undefined;
  }
}
