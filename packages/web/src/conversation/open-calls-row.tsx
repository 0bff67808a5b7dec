import { Hourglass } from 'lucide-react';
import type { Node } from '../api/types.ts';
import { Button } from '../ui/button.tsx';
import { goOn } from './actions.ts';

/** Calls at the end of a conversation that nobody has answered: its program stopped there, or still works on them. */
export function OpenCallsRow({ leaf, names }: { readonly leaf: Node; readonly names: readonly string[] }) {
  const what = names.length === 1 ? `${names[0]} waits for its result.` : `${names.join(', ')} wait for their results.`;
  return (
    <div className="mx-auto w-full max-w-3xl pr-3 pl-9">
      <div role="status" className="my-2 flex items-center gap-3 rounded-lg bg-sunken p-2 pl-3 text-soft">
        <Hourglass size={16} aria-hidden className="shrink-0" />
        <p className="min-w-0 grow break-words">{what}</p>
        <Button small onClick={() => void goOn(leaf)}>
          Go on from here
        </Button>
      </div>
    </div>
  );
}
