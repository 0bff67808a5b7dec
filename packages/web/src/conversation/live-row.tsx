import { CircleStop, LoaderCircle, RotateCw, TriangleAlert } from 'lucide-react';
import { Blocks } from '../blocks/blocks.tsx';
import { Button } from '../ui/button.tsx';
import { providerColor } from '../ui/format.ts';
import { resume, stop } from './actions.ts';
import { ApprovalCard } from './approval-card.tsx';
import { PROVIDER_COLORS } from './author.ts';
import { BranchRail } from './branch-rail.tsx';
import { Notices } from './losses.tsx';
import { SiblingSwitcher } from './sibling-switcher.tsx';
import { usePositions } from './use-siblings.ts';
import type { Tail } from './use-thread.ts';

/** What grows, waits or failed behind the last message. */
export function LiveRow({ tail }: { readonly tail: Tail }) {
  const { live, branch, index } = tail;
  const [provider = '', ...rest] = live.model.split('/');
  const isRunning = branch.status === 'running';
  // As long as another branch grows, the server takes nothing up again.
  const isOver = live.status !== 'running';
  const siblings = usePositions(branch.head, tail);
  const hasHeader = branch.blocks.length > 0 || isRunning || siblings.positions.length > 1;
  return (
    <div className="mx-auto flex w-full max-w-3xl pr-3">
      <BranchRail parent={branch.head} {...siblings} />
      <article
        aria-label="growing message"
        aria-busy={isRunning}
        className="min-w-0 grow border-l-2 border-transparent px-3 pt-1 pb-2"
      >
        {hasHeader && (
          <header className="flex h-8 items-center gap-2 overflow-hidden">
            <h2 className="shrink-0 text-sm font-semibold text-assistant">Assistant</h2>
            <span className={`min-w-12 truncate text-xs font-medium ${PROVIDER_COLORS[providerColor(provider)]}`}>
              {rest.join('/')}
            </span>
            {isRunning && (
              <LoaderCircle size={14} role="img" aria-label="Answering" className="shrink-0 animate-spin text-accent" />
            )}
            <span className="grow" />
            {siblings.positions.length > 1 && <SiblingSwitcher parent={branch.head} {...siblings} />}
            {isRunning && (
              <Button small look="quiet" onClick={() => void stop(live.id)}>
                <CircleStop size={14} /> Stop
              </Button>
            )}
          </header>
        )}
        <div aria-live="polite">
          <Blocks node={`${live.id}-${index}`} blocks={branch.blocks} isLive={isRunning} running={branch.running} />
        </div>
        {isRunning && branch.blocks.length === 0 && <Waiting running={branch.running} />}
        {branch.retry !== undefined && (
          <p role="status" className="my-1 flex items-center gap-2 text-xs text-warn">
            <RotateCw size={14} aria-hidden /> {branch.retry}
          </p>
        )}
        {branch.notices.length > 0 && (
          <Notices place={`${live.id}-${index}`} notices={branch.notices} provider={provider} />
        )}
        {isOver && branch.status === 'waiting' && branch.pending && (
          <ApprovalCard
            key={branch.head}
            calls={branch.pending}
            onDecide={(approvals) => resume(live.id, index, approvals)}
          />
        )}
        {branch.status === 'failed' && (
          <Ended
            title={branch.error?.message ?? 'The model gave no answer.'}
            action="Try again"
            canAct={isOver}
            onAction={() => void resume(live.id, index)}
          />
        )}
        {branch.status === 'aborted' && (
          <Ended
            title="Stopped. What had arrived is kept."
            action="Resume"
            canAct={isOver}
            onAction={() => void resume(live.id, index)}
            quiet
          />
        )}
      </article>
    </div>
  );
}

function Waiting({ running }: { readonly running: ReadonlyMap<string, string> }) {
  const names = [...running.values()];
  return (
    <p role="status" className="h-6 text-soft">
      {names.length > 0 ? `${names.join(', ')} ${names.length > 1 ? 'run' : 'runs'} …` : 'Waiting for the first word …'}
    </p>
  );
}

interface EndedProps {
  readonly title: string;
  readonly action: string;
  readonly canAct: boolean;
  readonly onAction: () => void;
  readonly quiet?: boolean;
}

function Ended({ title, action, canAct, onAction, quiet = false }: EndedProps) {
  return (
    <div
      role={quiet ? 'status' : 'alert'}
      className={`my-2 flex items-center gap-3 rounded-lg p-2 pl-3 ${quiet ? 'bg-sunken text-soft' : 'bg-danger-soft text-danger'}`}
    >
      {!quiet && <TriangleAlert size={16} aria-hidden className="shrink-0" />}
      <p className="min-w-0 grow break-words">{title}</p>
      <Button small disabled={!canAct} onClick={onAction}>
        <RotateCw size={14} /> {action}
      </Button>
    </div>
  );
}
