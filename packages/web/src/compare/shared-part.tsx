import { blocksOf, type Node } from '../api/types.ts';
import { Blocks } from '../blocks/blocks.tsx';
import { RoleIcon } from '../graph/role-icon.tsx';
import { comparableText } from '../inspector/comparable-text.ts';
import { counted } from '../ui/format.ts';

/** What all columns begin with, once. */
export function SharedPart({ path }: { readonly path: readonly Node[] }) {
  const last = path.at(-1);
  if (!last) return <p className="border-b border-line px-4 py-2 text-xs text-soft">They have no message in common.</p>;
  return (
    <details className="group border-b border-line bg-page">
      <summary className="flex items-center gap-2 px-4 py-2 text-xs text-soft hover:bg-hover">
        <RoleIcon role={last.role} />
        <span className="shrink-0 font-medium text-ink">{counted(path.length, 'message')} in common</span>
        <span className="min-w-0 truncate group-open:hidden">{comparableText(blocksOf(last)).slice(0, 300)}</span>
      </summary>
      <ol className="flex flex-col gap-3 px-4 pb-3">
        {path.map((node) => (
          <li key={node.id} className="flex gap-2">
            <span className="pt-0.5">
              <RoleIcon role={node.role} />
            </span>
            <span className="sr-only">{node.role}: </span>
            <div className="min-w-0 max-w-3xl">
              <Blocks node={node.id} blocks={blocksOf(node)} />
            </div>
          </li>
        ))}
      </ol>
    </details>
  );
}
