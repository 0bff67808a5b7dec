import { ShieldQuestion } from 'lucide-react';
import { useState } from 'react';
import type { Branch } from '../api/types.ts';
import { CodeBlock } from '../blocks/code-block.tsx';
import { prettyJson } from '../blocks/json-text.ts';
import { Button } from '../ui/button.tsx';
import type { Approvals } from './actions.ts';

type Calls = NonNullable<Branch['pending']>;

export interface ApprovalCardProps {
  readonly calls: Calls;
  /** Whether it goes on. */
  readonly onDecide: (approvals: Approvals) => Promise<boolean>;
}

/**
 * Tools that may not run before someone has said so. All have to be decided; then it goes on. Where it cannot, they are
 * asked for again.
 */
export function ApprovalCard({ calls, onDecide }: ApprovalCardProps) {
  const [decided, setDecided] = useState<Approvals>({});
  const openIn = (all: Approvals) => calls.filter(({ id }) => !Object.hasOwn(all, id));
  const decide = async (more: Approvals) => {
    const all = { ...decided, ...more };
    setDecided(all);
    if (openIn(all).length === 0 && !(await onDecide(all))) setDecided({});
  };
  const open = openIn(decided);
  return (
    <section aria-label="Approval" className="my-2 rounded-lg border border-warn bg-surface">
      <header className="flex items-center gap-2 rounded-t-lg bg-warn-soft py-1.5 pr-1.5 pl-3 text-warn">
        <ShieldQuestion size={16} aria-hidden className="shrink-0" />
        <h3 className="grow font-medium">
          {calls.length === 1 ? 'A tool asks to run' : `${calls.length} tools ask to run`}
        </h3>
        {open.length > 1 && (
          <Button small onClick={() => decide(Object.fromEntries(open.map(({ id }) => [id, 'approve' as const])))}>
            Approve all
          </Button>
        )}
      </header>
      <ul className="divide-y divide-line">
        {calls.map((call) => (
          <li key={call.id}>
            <OneCall
              call={call}
              decision={open.includes(call) ? undefined : decided[call.id]}
              onDecide={(decision) => decide({ [call.id]: decision })}
            />
          </li>
        ))}
      </ul>
    </section>
  );
}

interface OneCallProps {
  readonly call: Calls[number];
  readonly decision: Approvals[string] | undefined;
  readonly onDecide: (decision: Approvals[string]) => void;
}

function OneCall({ call, decision, onDecide }: OneCallProps) {
  const [reason, setReason] = useState('');
  return (
    <>
      <CodeBlock bare code={prettyJson(call.rawParameters)} language="json" label={call.name} />
      <form
        className="flex flex-wrap items-center gap-2 p-2"
        onSubmit={(event) => {
          event.preventDefault();
          onDecide({ deny: reason.trim() || 'The user said no.' });
        }}
      >
        {decision === undefined ? (
          <>
            <Button small look="primary" onClick={() => onDecide('approve')}>
              Approve
            </Button>
            <input
              aria-label={`Why ${call.name} may not run`}
              placeholder="Why not (the model is told)"
              value={reason}
              onChange={(event) => setReason(event.target.value)}
              className="h-7 min-w-32 grow rounded-md border border-line bg-page px-2 text-xs placeholder:text-faint"
            />
            <Button small type="submit" look="danger">
              Deny
            </Button>
          </>
        ) : (
          <p className="text-xs text-soft">{decision === 'approve' ? 'Approved' : `Denied: ${decision.deny}`}</p>
        )}
      </form>
    </>
  );
}
