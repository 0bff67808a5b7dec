import { Network, UnfoldHorizontal, X } from 'lucide-react';
import { Link } from 'wouter';
import type { TopologyNode } from '../api/types.ts';
import { usePreviews } from '../state/previews.ts';
import { Button, IconButton } from '../ui/button.tsx';
import { ago } from '../ui/format.ts';
import type { Placed } from './layout.ts';
import { RoleIcon } from './role-icon.tsx';

export interface NodePaneProps {
  readonly placed: Placed;
  readonly node: TopologyNode;
  readonly isTop: boolean;
  readonly onHoist: () => void;
  readonly onUnfold: () => void;
  readonly onClose: () => void;
}

/** The focused card, and what can be done with it. */
export function NodePane({ placed: { fold }, node, isTop, onHoist, onUnfold, onClose }: NodePaneProps) {
  const preview = usePreviews((state) => state.of.get(fold.id));
  const isRun = fold.ids.length > 1;
  return (
    <section
      aria-label="Focused message"
      className="absolute bottom-3 left-3 w-80 max-w-[calc(100%-4.5rem)] rounded-lg border border-line bg-raised p-3 shadow-md"
    >
      <div className="flex items-center gap-2 text-xs text-soft">
        <RoleIcon role={isRun ? 'run' : node.role} />
        <span className="min-w-0 grow truncate">
          {isRun ? `${fold.ids.length} messages in a line` : `${node.model ?? node.role} · ${ago(node.at)}`}
        </span>
        <IconButton label="Close" className="-my-1 -mr-1" onClick={onClose}>
          <X size={14} />
        </IconButton>
      </div>
      <p className="my-2 line-clamp-4 min-h-5 text-sm break-words">
        {isRun ? `It begins: ${preview?.text ?? ''}` : preview?.text}
      </p>
      <div className="flex flex-wrap gap-2">
        <Link
          href={`/c/${fold.id}`}
          className="inline-flex h-7 items-center rounded-md bg-accent px-2 text-xs font-medium text-accent-ink hover:opacity-90"
        >
          Open
        </Link>
        {isRun && (
          <Button small onClick={onUnfold}>
            <UnfoldHorizontal size={14} /> Unfold
          </Button>
        )}
        {!isTop && (
          <Button small onClick={onHoist}>
            <Network size={14} /> Only what is below
          </Button>
        )}
      </div>
    </section>
  );
}
