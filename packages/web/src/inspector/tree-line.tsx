import { ChevronDown, ChevronRight, GitBranch, Loader } from 'lucide-react';
import { useEffect } from 'react';
import { RoleIcon } from '../graph/role-icon.tsx';
import { usePreviews, wantPreviews } from '../state/previews.ts';
import { isLiveId, useLiveWords } from './live-sprouts.ts';
import type { TreeRow } from './tree-rows.ts';

export interface TreeLineProps {
  readonly id: string;
  readonly row: TreeRow;
  readonly role: string;
  readonly isOnPath: boolean;
  /** The path goes on below it. */
  readonly isBesidePath: boolean;
  readonly isSelected: boolean;
  readonly isActive: boolean;
  readonly onPick: () => void;
  readonly onToggle: () => void;
}

const STEP = 16;

/** One line of the tree: a message in a few words, or a run of several. */
export function TreeLine({
  id,
  row,
  role,
  isOnPath,
  isBesidePath,
  isSelected,
  isActive,
  onPick,
  onToggle,
}: TreeLineProps) {
  const { fold, level, branch, hidden, isOpen } = row;
  const isRun = fold.ids.length > 1;
  const isLive = isLiveId(fold.id);
  const preview = usePreviews((state) => state.of.get(fold.id));
  const words = useLiveWords(fold.id);
  useEffect(() => {
    if (!isRun && !isLive) wantPreviews([fold.id]);
  }, [fold.id, isRun, isLive]);
  const text = isRun
    ? `${fold.ids.length} messages`
    : isLive
      ? words || '…'
      : (preview?.text ?? '').replace(/^#+ /, '');
  const look = isSelected
    ? 'bg-accent-soft text-ink'
    : `hover:bg-hover ${isOnPath ? 'text-ink' : 'text-soft'} ${isRun ? 'italic' : ''}`;
  const meta = isSelected ? 'text-soft' : 'text-faint';
  const isExpandable = isOpen !== undefined || isRun;
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: keys are handled by the tree, which has the focus
    // biome-ignore lint/a11y/useFocusableInteractive: the tree names the active one
    <div
      id={id}
      role="treeitem"
      aria-level={level + 1}
      aria-selected={isSelected}
      {...(isExpandable && { 'aria-expanded': isOpen === true })}
      {...(branch && { 'aria-posinset': branch.index + 1, 'aria-setsize': branch.of })}
      onClick={onPick}
      style={{ paddingLeft: 10 + level * STEP }}
      className={`relative flex h-7 cursor-pointer items-center gap-1.5 pr-2 text-sm ${look} ${isActive ? 'group-focus-visible:outline-2 group-focus-visible:-outline-offset-2 group-focus-visible:outline-accent' : ''}`}
    >
      {(isOnPath || isBesidePath) && <span aria-hidden className="absolute inset-y-0 left-0 w-0.5 bg-accent" />}
      {level > 0 && (
        <span aria-hidden className="absolute inset-y-0 w-px bg-line-strong" style={{ left: 4 + level * STEP }} />
      )}
      {isLive ? (
        <Loader size={14} className="shrink-0 animate-spin text-assistant" aria-hidden />
      ) : (
        <RoleIcon role={isRun ? 'run' : role} />
      )}
      <span className="sr-only">{isRun ? '' : `${isLive ? 'being written' : role}: `}</span>
      <span className="min-w-0 grow truncate">{text}</span>
      {branch && preview?.model && (
        <span className={`max-w-28 shrink-0 truncate text-xs ${meta}`}>{preview.model}</span>
      )}
      {branch && (
        <span className={`flex shrink-0 items-center gap-0.5 text-xs ${meta}`}>
          <GitBranch size={12} aria-hidden />
          {branch.index + 1}/{branch.of}
        </span>
      )}
      {hidden > 0 && <span className={`shrink-0 text-xs ${meta}`}>+{hidden}</span>}
      {isExpandable && (
        <button
          type="button"
          tabIndex={-1}
          aria-hidden
          onClick={(event) => {
            event.stopPropagation();
            onToggle();
          }}
          className="shrink-0 rounded text-faint hover:text-ink"
        >
          {isOpen ? <ChevronDown size={14} /> : <ChevronRight size={14} />}
        </button>
      )}
    </div>
  );
}
