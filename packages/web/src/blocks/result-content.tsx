import type { Block } from '../api/types.ts';
import { CodeBlock } from './code-block.tsx';
import { isJson, looksLikeJson, prettyJson } from './json-text.ts';
import { MediaBlock } from './media-block.tsx';
import { UnknownBlock } from './unknown-block.tsx';

/** What a tool gave back, block by block. */
export function ResultContent({ content, isError }: { readonly content: readonly Block[]; readonly isError: boolean }) {
  if (content.length === 0) return <p className="p-3 text-xs text-faint">The result is empty.</p>;
  return content.map((block, index) => {
    const key = `${block.type}-${index}`;
    if (block.type === 'text')
      return (
        <CodeBlock
          key={key}
          bare
          label={isError ? 'error' : 'result'}
          code={prettyJson(block.text)}
          {...(looksLikeJson(block.text) && isJson(block.text) && { language: 'json' })}
        />
      );
    if (block.type === 'media')
      return (
        <div key={key} className="p-3">
          <MediaBlock {...block} />
        </div>
      );
    return <UnknownBlock key={key} native={block.type === 'unknown' ? block.native : JSON.stringify(block)} />;
  });
}
