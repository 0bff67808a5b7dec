import { useQuery } from '@tanstack/react-query';
import { Hourglass, RotateCw, ShieldQuestion, TriangleAlert } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { queries } from '../../api/queries.ts';
import type { Branch, Node } from '../../api/types.ts';
import { CallArguments } from '../../blocks/tool-card.tsx';
import { useLive } from '../../state/live.ts';
import { useModel } from '../../state/model.ts';
import { useNodes } from '../../state/nodes.ts';
import { Button } from '../../ui/button.tsx';
import { providerText } from '../../ui/colors.ts';
import { RetryNote } from '../../ui/retry-note.tsx';
import { t } from '../../words/words.ts';
import { type Approvals, answer, answerAgain, resume } from '../actions.ts';
import { changeDraft, useDraftText } from '../composer/draft.ts';
import type { Siblings } from '../use-siblings.ts';
import type { LiveTail } from '../use-thread.ts';
import { Notices } from './request-notes.tsx';
import { SiblingSwitcher } from './sibling-switcher.tsx';

/** The name of the model that answers, once there is something to head. */
export function GrowingAuthor({ tail, hasSiblings }: { readonly tail: LiveTail; readonly hasSiblings: boolean }) {
  const { live, branch } = tail;
  const [provider = '', ...rest] = live.model.split('/');
  const isRunning = branch.status === 'running';
  const hasText = useHasText(tail);
  if (!hasText && !isRunning && !hasSiblings) return null;
  return (
    <header className="mb-1 flex h-6 items-center gap-2">
      <span
        {...(isRunning ? { role: 'img', 'aria-label': t('message.answering') } : { 'aria-hidden': true })}
        className={`size-2 shrink-0 rounded-full bg-current ${providerText(provider)} ${isRunning ? 'animate-pulse' : ''}`}
      />
      <h2 className="min-w-0 truncate text-xs font-semibold text-soft">
        <span className="sr-only">{t('message.by-assistant')} </span>
        {rest.join('/')}
      </h2>
    </header>
  );
}

/** What is below the text of a branch that is running, waiting, failed or stopped. */
export function GrowingState({ tail, siblings }: { readonly tail: LiveTail; readonly siblings: Siblings }) {
  const { live, branch, index } = tail;
  const hasText = useHasText(tail);
  // The server resumes nothing while another branch of the generation is running.
  const isOver = live.status !== 'running';
  return (
    <>
      {branch.status === 'running' && !hasText && <Waiting running={branch.running} />}
      {siblings.positions.length > 1 && <SiblingSwitcher parent={branch.head} {...siblings} />}
      {branch.retry !== undefined && (
        <p role="status" className="my-1 flex items-center gap-2 text-xs text-warn">
          <RotateCw size={14} aria-hidden /> <RetryNote {...branch.retry} />
        </p>
      )}
      {branch.notices.length > 0 && (
        <Notices place={`${live.id}-${index}`} notices={branch.notices} provider={live.model.split('/')[0]!} />
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
          title={branch.error?.message ?? t('message.no-answer')}
          action={t('message.try-again')}
          canAct={isOver}
          onAction={() => void resume(live.id, index)}
        >
          <OtherModel asked={live.model} parent={branch.head} />
        </Ended>
      )}
      {branch.status === 'aborted' && (
        <Ended
          title={t('message.stopped')}
          action={t('message.resume')}
          canAct={isOver}
          onAction={() => void resume(live.id, index)}
          quiet
        />
      )}
    </>
  );
}

function useHasText({ live, index }: LiveTail): boolean {
  return useLive(({ blocks }) => (blocks.get(live.id)?.[index]?.length ?? 0) > 0);
}

function Waiting({ running }: { readonly running: ReadonlyMap<string, string> }) {
  const names = [...running.values()];
  return (
    <p role="status" className="h-6 text-soft">
      {names.length > 0
        ? t('message.tools-run', { names: names.join(', '), count: names.length })
        : t('message.first-word')}
    </p>
  );
}

/** Offers the model that is chosen now, if another one failed. */
function OtherModel({ asked, parent }: { readonly asked: string; readonly parent: string }) {
  const model = useModel();
  const node = useNodes(({ nodes }) => nodes.get(parent));
  if (model === undefined || model === asked || !node) return null;
  return (
    <Button small onClick={() => void answerAgain(node)}>
      {t('message.ask', { model: model.split('/').slice(1).join('/') })}
    </Button>
  );
}

interface EndedProps {
  readonly title: string;
  readonly action: string;
  readonly canAct: boolean;
  readonly onAction: () => void;
  readonly quiet?: boolean;
  readonly children?: ReactNode;
}

function Ended({ title, action, canAct, onAction, quiet = false, children }: EndedProps) {
  return (
    <div
      role={quiet ? 'status' : 'alert'}
      className={`my-2 flex flex-wrap items-center gap-x-3 gap-y-2 rounded-lg p-2 pl-3 ${quiet ? 'bg-sunken text-soft' : 'bg-danger-soft text-danger'}`}
    >
      {!quiet && <TriangleAlert size={16} aria-hidden className="shrink-0" />}
      <p className="min-w-0 grow basis-52 break-words">{title}</p>
      <Button small disabled={!canAct} onClick={onAction}>
        <RotateCw size={14} /> {action}
      </Button>
      {children}
    </div>
  );
}

/** Open calls at the end of a conversation. Its program stopped there, or is still running them. */
export function OpenCallsRow({ leaf, names }: { readonly leaf: Node; readonly names: readonly string[] }) {
  return (
    <div className="mx-auto w-full max-w-3xl pr-6 pl-9.5">
      <div role="status" className="my-2 flex items-center gap-3 rounded-lg bg-sunken p-2 pl-3 text-soft">
        <Hourglass size={16} aria-hidden className="shrink-0" />
        <p className="min-w-0 grow break-words">
          {t('message.calls-open', { names: names.join(', '), count: names.length })}
        </p>
        <Button small onClick={() => void answer(leaf)}>
          {t('message.resume-below')}
        </Button>
      </div>
    </div>
  );
}

type Calls = NonNullable<Branch['pending']>;

interface ApprovalCardProps {
  readonly calls: Calls;
  /** Resolves to whether the generation resumed. */
  readonly onDecide: (approvals: Approvals) => Promise<boolean>;
}

/**
 * Calls that wait for a person: tools that need approval, and tools of a recorded program, whose results the reader writes.
 * Once all are decided, the generation resumes. If it cannot, the decisions are asked for again.
 */
export function ApprovalCard({ calls, onDecide }: ApprovalCardProps) {
  const [decided, setDecided] = useState<Approvals>({});
  const runsHere = useRunnable();
  const openIn = (all: Approvals) => calls.filter(({ id }) => !Object.hasOwn(all, id));
  const decide = async (more: Approvals) => {
    const all = { ...decided, ...more };
    setDecided(all);
    if (openIn(all).length > 0) return;
    if (!(await onDecide(all))) return setDecided({});
    for (const { id } of calls) changeDraft(resultPlace(id), { text: '' });
  };
  const open = openIn(decided);
  const runnable = open.filter(({ name }) => runsHere(name));
  return (
    <section
      aria-label={t('message.approval')}
      className="my-2 overflow-clip rounded-xl border border-warn/50 bg-surface"
    >
      <header className="flex items-center gap-2 rounded-t-lg bg-warn-soft py-1.5 pr-1.5 pl-3 text-warn">
        <ShieldQuestion size={16} aria-hidden className="shrink-0" />
        <h3 className="grow font-medium">{headingFor(calls, runsHere)}</h3>
        {runnable.length > 1 && (
          <Button small onClick={() => decide(Object.fromEntries(runnable.map(({ id }) => [id, 'approve' as const])))}>
            {t('message.approve-all')}
          </Button>
        )}
      </header>
      <ul className="divide-y divide-line">
        {calls.map((call) => (
          <li key={call.id}>
            <CallArguments call={call} label={call.name} />
            <Decision
              call={call}
              isRunHere={runsHere(call.name)}
              decision={open.includes(call) ? undefined : decided[call.id]}
              onDecide={(decision) => decide({ [call.id]: decision })}
            />
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Whether this server or one of its agents has a tool of this name. */
function useRunnable(): (name: string) => boolean {
  const tools = useQuery(queries.tools());
  const agents = useQuery(queries.agents());
  // Until the tools are loaded, every call is treated as one of this server.
  if (!tools.data) return () => true;
  const names = new Set([
    ...tools.data.items.map(({ name }) => name),
    ...(agents.data?.items.flatMap((agent) => agent.tools) ?? []),
  ]);
  return (name) => names.has(name);
}

function headingFor(calls: Calls, runsHere: (name: string) => boolean): string {
  const count = calls.length;
  if (calls.every(({ name }) => runsHere(name))) return t('message.approval-title', { count });
  if (calls.some(({ name }) => runsHere(name))) return t('message.decisions-title', { count });
  return t('message.result-title', { count });
}

interface DecisionProps {
  readonly call: Calls[number];
  readonly isRunHere: boolean;
  readonly decision: Approvals[string] | undefined;
  readonly onDecide: (decision: Approvals[string]) => void;
}

function Decision({ call, isRunHere, decision, onDecide }: DecisionProps) {
  if (decision !== undefined) return <p className="p-2 text-xs text-soft">{describeDecision(decision)}</p>;
  return isRunHere ? <Permission call={call} onDecide={onDecide} /> : <Result call={call} onDecide={onDecide} />;
}

function describeDecision(decision: Approvals[string]): string {
  if (decision === 'approve') return t('message.approved');
  return 'deny' in decision ? t('message.denied', { deny: decision.deny }) : t('message.result-written');
}

type AskProps = Pick<DecisionProps, 'call' | 'onDecide'>;

function Permission({ call, onDecide }: AskProps) {
  const [reason, setReason] = useState('');
  return (
    <form
      className="flex flex-wrap items-center gap-2 p-2"
      onSubmit={(event) => {
        event.preventDefault();
        onDecide({ deny: reason.trim() || t('message.denied-default') });
      }}
    >
      <Button small look="primary" onClick={() => onDecide('approve')}>
        {t('message.approve')}
      </Button>
      <input
        aria-label={t('message.deny-reason', { name: call.name })}
        placeholder={t('message.deny-placeholder')}
        value={reason}
        onChange={(event) => setReason(event.target.value)}
        className="h-7 min-w-32 grow rounded-md border border-line bg-page px-2 text-xs placeholder:text-faint max-sm:order-first max-sm:h-9 max-sm:basis-full"
      />
      <Button small type="submit" look="danger">
        {t('message.deny')}
      </Button>
    </form>
  );
}

/** Where the written result of a call is kept until the generation has resumed with it. */
function resultPlace(call: string): string {
  return `result.${call}`;
}

/** The result of a tool of the recorded program, which the reader writes. */
function Result({ call, onDecide }: AskProps) {
  const [text, setText] = useDraftText(resultPlace(call.id));
  return (
    <form
      className="flex flex-col gap-2 p-2"
      onSubmit={(event) => {
        event.preventDefault();
        onDecide({ result: text });
      }}
    >
      <label className="flex flex-col gap-1 text-xs text-soft">
        {t('message.result-about', { name: call.name })}
        <textarea
          aria-label={t('message.result-field', { name: call.name })}
          rows={2}
          value={text}
          onChange={(event) => setText(event.target.value)}
          className="field-sizing-content max-h-[40dvh] min-h-14 w-full resize-none rounded-md border border-line bg-page p-2 text-sm text-ink"
        />
      </label>
      <Button small type="submit" look="primary" className="self-end">
        {t('message.result-send')}
      </Button>
    </form>
  );
}
