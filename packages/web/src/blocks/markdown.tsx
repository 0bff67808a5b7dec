import { lazy, Suspense } from 'react';

// Asked for at once, so that it is there when the first messages are: a quarter of the page is only for this.
const loading = import('./rendered-markdown.tsx');
const RenderedMarkdown = lazy(() => loading);

/** Text as markdown; as it was written until what draws it has come. */
export function Markdown({ text }: { readonly text: string }) {
  return (
    <Suspense fallback={<Written text={text} />}>
      <RenderedMarkdown text={text} />
    </Suspense>
  );
}

function Written({ text }: { readonly text: string }) {
  return (
    <p dir="auto" className="leading-6 break-words whitespace-pre-wrap">
      {text}
    </p>
  );
}
