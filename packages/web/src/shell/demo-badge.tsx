import { useQuery } from '@tanstack/react-query';
import { FlaskConical } from 'lucide-react';
import { queries } from '../api/queries.ts';
import { Popover } from '../ui/popover.tsx';
import { AddKey } from '../welcome/add-key.tsx';

/** While no provider has a key: who answers instead, and how to change that. */
export function DemoBadge() {
  const { data } = useQuery(queries.version());
  if (!data?.demo) return null;
  return (
    <Popover
      label="Demo mode"
      trigger={
        <button
          type="button"
          className="flex h-6 shrink-0 items-center gap-1 rounded-full border border-warn bg-warn-soft px-2 text-xs font-medium text-warn"
        >
          <FlaskConical size={12} aria-hidden />
          Demo
        </button>
      }
    >
      <p className="font-medium">No provider has a key</p>
      <p className="mt-1 mb-3 text-soft">A stand-in answers. It understands nothing, but everything else is real.</p>
      <AddKey />
    </Popover>
  );
}
