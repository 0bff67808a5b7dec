import { Bot, FileText, Scissors, Terminal, Wrench } from 'lucide-react';
import { Fragment, lazy, type ReactNode, Suspense, useState } from 'react';
import { Link } from 'wouter';
import type { SessionLane, SessionStep } from '../api/types.ts';
import { Foldable } from '../blocks/fold.tsx';
import { oneLine } from '../blocks/summary.ts';
import { toAddress } from '../state/address.ts';
import { duration, money, shortNumber, totalTokens } from '../ui/format.ts';
import { LANGUAGE, t } from '../words/words.ts';
import { TouchedFileCard } from './file-changes.tsx';
import { shortPath } from './line-diff.ts';

const Markdown = lazy(() => import('../blocks/rendered-markdown.tsx'));

type Act = SessionStep['acts'][number];

interface StepCardProps {
  readonly number: number;
  readonly step: SessionStep;
  readonly thread: SessionLane['thread'];
  readonly subagents: readonly SessionLane[];
}

/** What happened for one prompt: what was done, what was answered, and what it used. */
export function StepCard({ number, step, thread, subagents }: StepCardProps) {
  const { prompt, acts, answer, compacted } = step;
  return (
    <li id={`step-${number}`} className="scroll-mt-4 rounded-lg border border-line bg-surface p-4">
      <article aria-label={t('session.step', { number })}>
        <header className="flex flex-wrap items-baseline gap-x-3 gap-y-1">
          <Link
            href={toAddress(thread.id, step.node)}
            title={t('session.step-open')}
            className="text-xs font-semibold text-faint hover:text-accent hover:underline"
          >
            {t('session.step', { number })}
          </Link>
          <StepFacts step={step} />
        </header>
        {compacted && (
          <Folded
            label={t('session.compaction')}
            summary={
              <>
                <Scissors size={14} aria-hidden className="shrink-0" />
                {t('session.compacted', { count: compacted.messages })}
              </>
            }
          >
            <Output text={compacted.replacement.text} isCut={compacted.replacement.isCut} />
          </Folded>
        )}
        <p className="mt-1 border-l-2 border-user pl-3 text-[15px] font-medium break-words whitespace-pre-wrap">
          {prompt || <span className="text-faint">{t('session.no-prompt')}</span>}
        </p>
        {acts.length > 0 && (
          <ul aria-label={t('session.calls')} className="mt-2">
            {acts.map((act) => (
              <li key={`${act.node} ${act.call}`}>
                <ActView act={act} cwd={thread.cwd} subagents={subagents} />
              </li>
            ))}
          </ul>
        )}
        {answer && (
          <div className="mt-2 text-sm">
            <Suspense fallback={<p className="whitespace-pre-wrap">{answer.said.text}</p>}>
              <Markdown text={answer.said.text} />
            </Suspense>
          </div>
        )}
      </article>
    </li>
  );
}

/** Time, calls, tokens, cache and cost of a step. */
function StepFacts({ step }: { readonly step: SessionStep }) {
  const { at, endedAt, replies, usage, cost, withoutPrice, models } = step;
  const facts = [
    new Date(at).toLocaleString(LANGUAGE, { dateStyle: 'medium', timeStyle: 'short' }),
    duration(endedAt - at),
    t('session.replies-count', { count: replies }),
    totalTokens(usage) > 0 && t('session.tokens', { number: shortNumber(totalTokens(usage)) }),
    cacheText(usage),
    totalTokens(usage) > 0 &&
      (withoutPrice === replies ? t('session.price-unknown') : `${money(cost)}${withoutPrice > 0 ? '+' : ''}`),
    models.join(', '),
  ];
  return <Facts facts={facts} />;
}

/** Facts in a row; lines break between them. Those that are empty or false are left out. */
export function Facts({ facts }: { readonly facts: readonly (string | false)[] }) {
  return (
    <p className="text-xs text-faint tabular-nums">
      {facts
        .filter((fact): fact is string => fact !== false && fact !== '')
        .map((fact, index) => (
          <Fragment key={fact}>
            {index > 0 && ' · '}
            <span className="inline-block">{fact}</span>
          </Fragment>
        ))}
    </p>
  );
}

/** How much of the input came from the provider's cache. */
export function cacheText({ input, cacheRead, cacheWrite5m, cacheWrite1h }: SessionStep['usage']): string {
  const all = input + cacheRead + cacheWrite5m + cacheWrite1h;
  return all === 0 ? '' : t('session.from-cache', { percent: Math.round((cacheRead / all) * 100) });
}

interface ActProps {
  readonly act: Act;
  readonly cwd: string | undefined;
  readonly subagents: readonly SessionLane[];
}

function ActView({ act, cwd, subagents }: ActProps) {
  const { files, command, result, tool, subagent } = act;
  const lane = subagents.find(({ thread }) => thread.id === subagent);
  if (lane) return <SubagentCard lane={lane} />;
  const changed = files.filter(({ changes, whole }) => changes.length > 0 || whole !== undefined);
  // A change that failed is shown with its error.
  if (changed.length > 0 && !result?.isError)
    return changed.map((file) => <TouchedFileCard key={file.path} file={file} cwd={cwd} />);
  const [first] = files;
  const shown = command?.text ?? (first ? shortPath(first.path, cwd) : act.input.text);
  const Icon = command ? Terminal : first ? FileText : Wrench;
  return (
    <Folded
      label={command ? t('session.command-of', { text: oneLine(shown, 60) }) : t('session.call-of', { tool })}
      tone={result?.isError ? 'danger' : 'plain'}
      summary={
        <>
          <Icon size={14} aria-hidden className="shrink-0" />
          {!command && <span className="shrink-0 font-medium text-ink">{tool}</span>}
          <span className="min-w-0 grow truncate font-mono">{oneLine(shown, 160)}</span>
          {result?.isError && <span className="shrink-0 text-danger">{t('session.call-failed')}</span>}
          {!result && <span className="shrink-0 text-faint">{t('session.call-open')}</span>}
        </>
      }
    >
      {command && <Output label={t('session.command')} text={command.text} isCut={command.isCut} />}
      {!command && !first && <Output label={t('session.arguments')} text={act.input.text} isCut={act.input.isCut} />}
      {result && (
        <Output
          label={t('session.output')}
          text={result.output.text || t('session.no-output')}
          isCut={result.output.isCut}
        />
      )}
    </Folded>
  );
}

/** What a subagent did, inside the step that started it. */
function SubagentCard({ lane: { thread, steps } }: { readonly lane: SessionLane }) {
  const acts = steps.flatMap((step) => step.acts);
  const said = steps.at(-1)?.answer?.said;
  return (
    <Folded
      label={t('session.subagent-of', { title: thread.title })}
      summary={
        <>
          <Bot size={14} aria-hidden className="shrink-0 text-provider" />
          <span className="shrink-0 font-medium text-ink">{t('session.subagent')}</span>
          <span className="min-w-0 grow truncate">{thread.title}</span>
          <span className="shrink-0 tabular-nums">{t('session.calls-count', { count: acts.length })}</span>
        </>
      }
    >
      <div className="flex flex-col gap-2 p-3 text-sm">
        <ul className="font-mono text-xs text-soft">
          {acts.map((act) => (
            <li key={`${act.node} ${act.call}`} className="truncate">
              {act.tool} {oneLine(act.command?.text ?? act.files[0]?.path ?? act.input.text, 160)}
            </li>
          ))}
        </ul>
        {said && <p className="break-words whitespace-pre-wrap">{said.text}</p>}
        <Link href={toAddress(thread.id)} className="text-xs text-accent underline underline-offset-2">
          {t('session.subagent-open')}
        </Link>
      </div>
    </Folded>
  );
}

interface FoldedProps {
  readonly label: string;
  readonly summary: ReactNode;
  readonly tone?: 'plain' | 'danger';
  readonly children: ReactNode;
}

function Folded(props: FoldedProps) {
  const [isOpen, setOpen] = useState(false);
  return <Foldable isOpen={isOpen} onToggle={() => setOpen(!isOpen)} {...props} />;
}

function Output({ label, text, isCut }: { readonly label?: string; readonly text: string; readonly isCut: boolean }) {
  return (
    <div className="border-t border-line px-3 py-2 first:border-0">
      {label && <p className="text-xs text-faint">{label}</p>}
      <pre className="max-h-96 overflow-auto font-mono text-[13px] leading-5 break-words whitespace-pre-wrap">
        {text}
      </pre>
      {isCut && <p className="text-xs text-faint">{t('session.beginning-only')}</p>}
    </div>
  );
}
