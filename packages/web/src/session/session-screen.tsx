import { useQuery } from '@tanstack/react-query';
import { Bot, GitBranch, MessagesSquare } from 'lucide-react';
import { Link } from 'wouter';
import { queries } from '../api/queries.ts';
import type { SessionLane, SessionStep } from '../api/types.ts';
import { toAddress } from '../state/address.ts';
import { buttonLook } from '../ui/button.tsx';
import { duration, money, shortNumber, totalTokens } from '../ui/format.ts';
import { Empty, Failed, Loading } from '../ui/states.tsx';
import { LANGUAGE, t } from '../words/words.ts';
import { SessionFiles } from './file-changes.tsx';
import { listFiles } from './line-diff.ts';
import { cacheText, Facts, StepCard } from './step-card.tsx';
import { placeOnTimeline } from './timeline.ts';

/** A session of a coding agent as people think of it: prompts as steps, files, commands, subagents, time and cost. */
export default function SessionScreen({ thread }: { readonly thread: string }) {
  const { data, isPending, error, refetch } = useQuery(queries.session(thread));
  if (isPending || error || data.main.steps.length === 0)
    return (
      <>
        <h1 className="sr-only">{t('session.title')}</h1>
        {isPending ? (
          <Loading lines={8} label={t('session.loading')} />
        ) : error ? (
          <Failed error={error} onRetry={() => void refetch()} />
        ) : (
          <Empty title={t('session.empty')} />
        )}
      </>
    );
  const { main, subagents, sideCalls } = data;
  const lanes = [main, ...subagents];
  return (
    <div className="h-full overflow-y-auto">
      <div className="mx-auto flex max-w-6xl flex-col gap-4 p-4 sm:py-8">
        <SessionHead main={main} subagents={subagents} sideCalls={sideCalls.length} />
        <Timeline lanes={lanes} />
        <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,1fr)_20rem]">
          <ol aria-label={t('session.steps')} className="flex min-w-0 flex-col gap-3">
            {main.steps.map((step, index) => (
              <StepCard key={step.node} number={index + 1} step={step} thread={main.thread} subagents={subagents} />
            ))}
          </ol>
          <aside className="min-w-0 rounded-lg border border-line bg-surface p-3 lg:sticky lg:top-4 lg:max-h-[calc(100dvh-6rem)] lg:overflow-y-auto">
            <SessionFiles files={listFiles(main, subagents)} />
          </aside>
        </div>
      </div>
    </div>
  );
}

interface HeadProps {
  readonly main: SessionLane;
  readonly subagents: readonly SessionLane[];
  readonly sideCalls: number;
}

function SessionHead({ main: { thread, steps }, subagents, sideCalls }: HeadProps) {
  const all = [...steps, ...subagents.flatMap((lane) => lane.steps)];
  const usage = sumUsage(all);
  const cost = all.reduce((sum, step) => sum + step.cost, 0);
  const unknown = all.reduce((sum, step) => sum + step.withoutPrice, 0);
  const worked = all.reduce((sum, { at, endedAt }) => sum + endedAt - at, 0);
  const facts = [
    t('session.steps-count', { count: steps.length }),
    t('session.calls-count', { count: all.reduce((sum, { acts }) => sum + acts.length, 0) }),
    duration(worked),
    t('session.tokens', { number: shortNumber(totalTokens(usage)) }),
    cacheText(usage),
    `${money(cost)}${unknown > 0 ? '+' : ''}`,
    subagents.length > 0 && t('session.subagents-count', { count: subagents.length }),
    sideCalls > 0 && t('session.side-calls-count', { count: sideCalls }),
  ];
  return (
    <header className="flex flex-wrap items-start gap-3">
      <div className="min-w-0 grow">
        <h1 className="text-xl font-semibold break-words tracking-tight">{thread.title || t('session.title')}</h1>
        <p className="flex flex-wrap items-center gap-x-3 text-xs text-soft">
          {thread.agent && (
            <span className="flex items-center gap-1">
              <Bot size={14} aria-hidden />
              {thread.agent}
            </span>
          )}
          {thread.cwd && <span className="font-mono break-all">{thread.cwd}</span>}
          {thread.branch && (
            <span className="flex items-center gap-1 font-mono">
              <GitBranch size={14} aria-hidden />
              {thread.branch}
            </span>
          )}
        </p>
        <Facts facts={facts} />
      </div>
      <Link href={toAddress(thread.id)} className={buttonLook('plain')}>
        <MessagesSquare size={14} aria-hidden />
        {t('session.messages')}
      </Link>
    </header>
  );
}

function sumUsage(steps: readonly SessionStep[]): SessionStep['usage'] {
  const sum = { input: 0, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0, output: 0, reasoning: 0 };
  for (const { usage } of steps)
    for (const bucket of Object.keys(sum) as (keyof typeof sum)[]) sum[bucket] += usage[bucket];
  return sum;
}

/** When each step of each conversation ran; a click leads to the step. */
function Timeline({ lanes }: { readonly lanes: readonly SessionLane[] }) {
  const placed = placeOnTimeline(lanes);
  const steps = lanes.flatMap((lane) => lane.steps);
  const from = Math.min(...steps.map(({ at }) => at));
  const to = Math.max(...steps.map(({ endedAt }) => endedAt));
  const most = Math.max(...steps.map(({ usage }) => totalTokens(usage)), 1);
  return (
    <section aria-label={t('session.timeline')} className="rounded-lg border border-line bg-surface p-3">
      {lanes.map(({ thread, steps: own }, lane) => (
        <div key={thread.id} className="flex items-center gap-2 text-xs">
          <span className="w-28 shrink-0 truncate text-soft" title={thread.title}>
            {lane === 0 ? t('session.conversation') : thread.title}
          </span>
          <div className="relative h-7 grow border-b border-line last:border-0">
            {placed[lane]!.map(({ step, from, to, isCompacted }) => {
              const { prompt, usage } = own[step]!;
              const name = lane === 0 ? t('session.file-step', { step: step + 1 }) : thread.title;
              const bar = {
                title: t('session.bar-title', {
                  prompt: prompt.slice(0, 200),
                  number: shortNumber(totalTokens(usage)),
                }),
                className: `absolute top-1 h-5 min-w-2 rounded-sm ${lane === 0 ? 'bg-accent hover:opacity-80' : 'bg-provider'} ${isCompacted ? 'border-l-4 border-warn' : ''}`,
                style: {
                  left: `${from * 99}%`,
                  width: `${(to - from) * 99}%`,
                  opacity: 0.35 + 0.65 * (totalTokens(usage) / most),
                },
              };
              return lane === 0 ? (
                <a key={step} href={`#step-${step + 1}`} {...bar}>
                  <span className="sr-only">{name}</span>
                </a>
              ) : (
                <span key={step} {...bar}>
                  <span className="sr-only">{name}</span>
                </span>
              );
            })}
          </div>
        </div>
      ))}
      <p className="flex justify-between pt-1 pl-30 text-xs text-faint tabular-nums">
        <time dateTime={new Date(from).toISOString()}>{clockTime(from)}</time>
        <time dateTime={new Date(to).toISOString()}>{clockTime(to)}</time>
      </p>
    </section>
  );
}

function clockTime(at: number): string {
  return new Date(at).toLocaleString(LANGUAGE, { month: 'short', day: 'numeric', hour: 'numeric', minute: '2-digit' });
}
