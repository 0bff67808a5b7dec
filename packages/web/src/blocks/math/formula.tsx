import { lazy, Suspense } from 'react';

interface FormulaProps {
  readonly tex: string;
  readonly isDisplay: boolean;
}

// KaTeX is larger than the page's first screen, and few conversations have mathematics.
const RenderedFormula = lazy(() => import('./rendered-formula.tsx'));

/** A formula, shown as it was written until the renderer is loaded. */
export function Formula(props: FormulaProps) {
  return (
    <Suspense fallback={<code className="font-mono text-[0.9em] text-soft">{props.tex}</code>}>
      <RenderedFormula {...props} />
    </Suspense>
  );
}
