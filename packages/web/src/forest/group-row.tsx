import type { GroupRow as Row } from '../api/fold-threads.ts';
import { setUnfolded } from '../state/unfolded.ts';
import { ago } from '../ui/format.ts';
import { GroupToggle } from '../ui/group-toggle.tsx';
import { groupInWords } from '../ui/group-words.ts';
import { INDENTS } from './indents.ts';

/** A session, equal openings or side calls: one row until it is unfolded. */
export function GroupRow({ row }: { readonly row: Row }) {
  const { what, group, thread, members, depth, isOpen } = row;
  const name = what === 'side' ? 'Side calls' : thread.title || 'Untitled';
  const words = groupInWords(row);
  const updatedAt = Math.max(...members.map((one) => one.updatedAt));
  return (
    <GroupToggle
      isOpen={isOpen}
      onChange={(open) => setUnfolded(group, open)}
      className={`flex min-h-11 w-full items-center gap-2 border-b border-line py-2 pr-10 text-left hover:bg-hover/30 ${INDENTS[depth]}`}
    >
      <span className="flex min-w-0 grow flex-wrap items-center gap-x-2 gap-y-0.5">
        <span className={`max-w-full truncate ${what === 'side' ? 'text-soft' : 'font-medium'}`}>{name}</span>
        <span className="rounded-full bg-sunken px-2 text-xs text-soft">{words}</span>
      </span>
      <span className="shrink-0 text-xs text-faint tabular-nums max-sm:hidden">{ago(updatedAt)}</span>
    </GroupToggle>
  );
}
