import { useQuery } from '@tanstack/react-query';
import { Check, Play, Square } from 'lucide-react';
import { useRef, useState } from 'react';
import { Link } from 'wouter';
import { queries } from '../api/queries.ts';
import { type RerunAnswer, rerun } from '../api/rerun.ts';
import type { Thread } from '../api/types.ts';
import { useView } from '../state/view.ts';
import { Button } from '../ui/button.tsx';
import { TextField } from '../ui/field.tsx';
import { duration, money } from '../ui/format.ts';
import { toastError } from '../ui/toasts.tsx';
import { t } from '../words/words.ts';
import { ModelChoice } from './ask-several.tsx';
import { keepBranch } from './keep-branch.ts';

/** How many conversations are offered at once; the others are found by their title. */
const MOST_SHOWN = 50;

/** Conversations that other models answer again, with all answers in a grid beside the originals. */
export default function RerunScreen() {
  const { data: models } = useQuery(queries.models());
  const compared = useView((view) => view.compared);
  const known = new Set(models?.items.map(({ id }) => id));
  const chosenModels = compared.filter((id) => known.has(id));
  const [threads, setThreads] = useState<readonly Thread[]>([]);
  const [maxCost, setMaxCost] = useState('');
  const [answers, setAnswers] = useState<readonly RerunAnswer[]>([]);
  const running = useRef<AbortController>(undefined);
  const [isRunning, setRunning] = useState(false);
  const limit = Number(maxCost);
  const isReady = threads.length > 0 && chosenModels.length > 0 && (maxCost === '' || limit > 0);
  const start = async () => {
    const stop = new AbortController();
    running.current = stop;
    setRunning(true);
    setAnswers([]);
    const wish = { threads: threads.map(({ id }) => id), models: chosenModels, ...(maxCost && { maxCost: limit }) };
    try {
      for await (const answer of rerun(wish, stop.signal)) setAnswers((before) => [...before, answer]);
    } catch (error) {
      if (!stop.signal.aborted) toastError(error);
    } finally {
      setRunning(false);
    }
  };
  return (
    <div className="h-full overflow-auto">
      <div className="mx-auto flex max-w-5xl flex-col gap-4 p-4 sm:p-8">
        <h1 className="text-xl font-semibold tracking-tight">{t('rerun.title')}</h1>
        <ThreadChoice chosen={threads} onChange={setThreads} />
        <div className="flex flex-wrap items-center gap-2">
          <ModelChoice
            all={models?.items ?? []}
            chosen={chosenModels}
            onChange={(next) => useView.setState({ compared: next })}
          />
          <TextField
            aria-label={t('rerun.max-cost')}
            placeholder={t('rerun.max-cost')}
            inputMode="decimal"
            className="w-44"
            value={maxCost}
            onChange={(event) => setMaxCost(event.target.value)}
          />
          {isRunning ? (
            <Button onClick={() => running.current?.abort()}>
              <Square size={14} aria-hidden /> {t('rerun.stop')}
            </Button>
          ) : (
            <Button look="primary" disabled={!isReady} onClick={() => void start()}>
              <Play size={14} aria-hidden /> {t('rerun.run')}
            </Button>
          )}
          <span role="status" className="text-xs text-soft">
            {answers.length > 0 &&
              t('rerun.progress', { count: answers.length, all: threads.length * chosenModels.length })}
          </span>
        </div>
        {answers.length > 0 && <AnswerGrid answers={answers} threads={threads} />}
      </div>
    </div>
  );
}

interface ThreadChoiceProps {
  readonly chosen: readonly Thread[];
  readonly onChange: (chosen: readonly Thread[]) => void;
}

function ThreadChoice({ chosen, onChange }: ThreadChoiceProps) {
  const { data } = useQuery(queries.threads());
  const [words, setWords] = useState('');
  const found = (data?.items ?? []).filter(({ title }) => title.toLowerCase().includes(words.trim().toLowerCase()));
  const isChosen = (thread: Thread) => chosen.some(({ id }) => id === thread.id);
  const toggle = (thread: Thread) =>
    onChange(isChosen(thread) ? chosen.filter(({ id }) => id !== thread.id) : [...chosen, thread]);
  return (
    <fieldset className="min-w-0 rounded-lg border border-line bg-surface p-3">
      <legend className="float-left mb-2 w-full px-1 text-sm font-medium">
        {t('rerun.choose', { count: chosen.length })}
      </legend>
      <TextField
        type="search"
        aria-label={t('rerun.find')}
        placeholder={t('rerun.find')}
        className="mb-2 w-full"
        value={words}
        onChange={(event) => setWords(event.target.value)}
      />
      <div className="flex max-h-48 flex-col overflow-y-auto">
        {found.slice(0, MOST_SHOWN).map((thread) => (
          <label key={thread.id} className="flex cursor-pointer items-center gap-2 rounded px-1 py-1 hover:bg-hover">
            <input type="checkbox" checked={isChosen(thread)} onChange={() => toggle(thread)} />
            <span className="min-w-0 truncate text-sm">{thread.title || t('rerun.untitled')}</span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}

interface AnswerGridProps {
  readonly answers: readonly RerunAnswer[];
  readonly threads: readonly Thread[];
}

/** A row for each conversation, a column for the original and for each model. */
function AnswerGrid({ answers, threads }: AnswerGridProps) {
  const models = [...new Set(answers.map(({ model }) => model))];
  const rows = threads.filter(({ id }) => answers.some(({ thread }) => thread === id));
  return (
    <section
      aria-label={t('rerun.answers')}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls sideways has to be reached by keys
      tabIndex={0}
      className="overflow-x-auto rounded-lg border border-line bg-surface"
    >
      <table className="w-full border-collapse text-sm">
        <thead>
          <tr className="border-b border-line">
            {[t('rerun.original'), ...models].map((name) => (
              <th key={name} className="min-w-64 px-3 py-1.5 text-left text-xs font-medium text-soft">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((thread) => {
            const { id, title } = thread;
            const own = answers.filter((answer) => answer.thread === id);
            return (
              <tr key={id} className="border-b border-line align-top last:border-0">
                <th scope="row" className="px-3 py-2 text-left font-normal">
                  <Link href={`/t/${id}`} className="mb-1 block font-medium text-accent">
                    {title || t('rerun.untitled')}
                  </Link>
                  <Words text={own[0]?.originalText ?? ''} />
                </th>
                {models.map((model) => (
                  <td key={model} className="px-3 py-2">
                    {own
                      .filter((answer) => answer.model === model)
                      .map((answer, index) => (
                        <AnswerCell key={answer.node ?? index} answer={answer} thread={thread} />
                      ))}
                  </td>
                ))}
              </tr>
            );
          })}
        </tbody>
      </table>
    </section>
  );
}

function AnswerCell({ answer, thread }: { readonly answer: RerunAnswer; readonly thread: Thread }) {
  const { node, model, status, text, cost, durationMs, characters, toolCalls, rating, difference, isKept, error } =
    answer;
  const facts = [
    ...(cost === undefined ? [] : [money(cost)]),
    ...(durationMs === undefined ? [] : [duration(durationMs)]),
    t('rerun.characters', { count: characters }),
    ...(toolCalls === 0 ? [] : [t('rerun.calls', { count: toolCalls })]),
    ...(rating === undefined ? [] : [t('rerun.rated', { rating })]),
    difference ? t('rerun.differs', { at: difference.at + 1 }) : t('rerun.same'),
    ...(isKept ? [t('rerun.kept')] : []),
  ];
  if (node === undefined) return <p className="text-danger">{error ?? status}</p>;
  return (
    <div>
      <p className="mb-1 flex items-center gap-2 text-xs text-soft">
        <span className="min-w-0">{facts.join(' · ')}</span>
        <Button
          small
          className="ml-auto"
          aria-label={t('rerun.keep-of', { model })}
          onClick={() => void keepBranch(node, thread)}
        >
          <Check size={14} aria-hidden /> {t('rerun.keep')}
        </Button>
      </p>
      <Words text={text} />
    </div>
  );
}

function Words({ text }: { readonly text: string }) {
  return <p className="max-h-64 overflow-y-auto break-words whitespace-pre-wrap">{text}</p>;
}
