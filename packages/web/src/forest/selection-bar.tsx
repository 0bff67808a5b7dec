import { Download, Trash2 } from 'lucide-react';
import type { Thread } from '../api/types.ts';
import { askExport } from '../state/overlays.ts';
import { Button } from '../ui/button.tsx';
import { deleteWithUndo } from './thread-actions.ts';

export interface SelectionBarProps {
  readonly chosen: readonly Thread[];
  readonly shown: readonly Thread[];
  readonly onSelect: (ids: readonly string[]) => void;
}

/** What can be done with several at once. */
export function SelectionBar({ chosen, shown, onSelect }: SelectionBarProps) {
  return (
    <div role="toolbar" aria-label="Selected conversations" className="flex min-h-8 flex-wrap items-center gap-2">
      <span className="mr-2 font-medium">{chosen.length} selected</span>
      <Button onClick={() => askExport({ kind: 'threads', ids: chosen.map(({ id }) => id) })}>
        <Download size={14} aria-hidden />
        Export
      </Button>
      <Button
        look="danger"
        onClick={() => {
          onSelect([]);
          deleteWithUndo(chosen);
        }}
      >
        <Trash2 size={14} aria-hidden />
        Delete
      </Button>
      <span className="grow" />
      {chosen.length < shown.length && (
        <Button look="quiet" onClick={() => onSelect(shown.map(({ id }) => id))}>
          Select all {shown.length}
        </Button>
      )}
      <Button look="quiet" onClick={() => onSelect([])}>
        Select none
      </Button>
    </div>
  );
}
