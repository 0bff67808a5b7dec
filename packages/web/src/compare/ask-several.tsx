import { useQuery } from '@tanstack/react-query';
import { ListPlus, SendHorizontal, X } from 'lucide-react';
import { type FormEvent, useState } from 'react';
import { api, unwrap } from '../api/client.ts';
import { queries } from '../api/queries.ts';
import { type Model, type Node, ROOT } from '../api/types.ts';
import { useDraftText } from '../conversation/composer/draft.ts';
import { groupModels } from '../state/group-models.ts';
import { showGeneration } from '../state/live.ts';
import { ensurePath } from '../state/nodes.ts';
import { findThreadWith } from '../state/place.ts';
import { useView } from '../state/view.ts';
import { Button } from '../ui/button.tsx';
import { Popover } from '../ui/popover.tsx';
import { toastError } from '../ui/toasts.tsx';
import { t } from '../words/words.ts';
import { type ColumnEntry, MOST_COLUMNS } from './columns.ts';

interface AskSeveralProps {
  /** The messages that all columns have in common. */
  readonly shared: readonly Node[];
  /** Gets the columns to show; those of a new prompt have nothing to do with the ones on screen. */
  readonly onAsked: (entries: readonly ColumnEntry[], isNew: boolean) => void;
}

/** One prompt to several models at once, or the last shared prompt to other models. */
export function AskSeveral({ shared, onAsked }: AskSeveralProps) {
  const chosen = useView((view) => view.compared);
  const { data } = useQuery(queries.models());
  const [text, setText] = useDraftText('compare');
  const [isAsking, setAsking] = useState(false);
  const known = new Set(data?.items.map(({ id }) => id));
  const models = chosen.filter((id) => known.has(id));
  const canRepeat = shared.at(-1)?.role === 'user' || shared.at(-1)?.role === 'tool';
  const isNew = text.trim() !== '';
  const isReady = !isAsking && (isNew ? models.length > 1 : canRepeat && models.length > 0);
  const ask = async () => {
    if (!isReady) return;
    setAsking(true);
    try {
      onAsked(await askSeveral(shared, text, models), isNew);
      setText('');
    } catch (error) {
      toastError(error);
    } finally {
      setAsking(false);
    }
  };
  return (
    <form
      aria-label={t('compare.ask-form')}
      onSubmit={(event: FormEvent) => {
        event.preventDefault();
        void ask();
      }}
      className="shrink-0 border-t border-line bg-surface p-3"
    >
      <textarea
        aria-label={t('compare.ask-prompt')}
        placeholder={t(canRepeat ? 'compare.ask-again' : 'compare.ask-new')}
        rows={1}
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
            event.preventDefault();
            void ask();
          }
        }}
        className="field-sizing-content max-h-40 min-h-9 w-full resize-none rounded-md border border-line bg-page px-3 py-2 text-sm placeholder:text-faint"
      />
      <div className="mt-2 flex flex-wrap items-center gap-2">
        <ModelChoice all={data?.items ?? []} chosen={models} onChange={(compared) => useView.setState({ compared })} />
        <Button type="submit" look="primary" className="ml-auto" disabled={!isReady}>
          <SendHorizontal size={16} aria-hidden />
          {models.length > 0 ? t('compare.ask-count', { count: models.length }) : t('compare.ask')}
        </Button>
      </div>
    </form>
  );
}

interface ModelChoiceProps {
  readonly all: readonly Model[];
  readonly chosen: readonly string[];
  readonly onChange: (chosen: readonly string[]) => void;
}

/** Up to four models, by provider and newest first. There are hundreds: the rest is found by typing a part of the name. */
export function ModelChoice({ all, chosen, onChange }: ModelChoiceProps) {
  const [words, setWords] = useState('');
  const groups = groupModels(all, words);
  const toggle = (id: string) =>
    onChange(chosen.includes(id) ? chosen.filter((other) => other !== id) : [...chosen, id].slice(-MOST_COLUMNS));
  return (
    <>
      <Popover
        label={t('compare.ask-models-label')}
        side="top"
        trigger={
          <Button small>
            <ListPlus size={14} aria-hidden /> {t('compare.ask-models')}
          </Button>
        }
      >
        <input
          type="search"
          aria-label={t('compare.ask-find')}
          placeholder={t('compare.ask-find')}
          value={words}
          onChange={(event) => setWords(event.target.value)}
          className="mb-2 h-8 w-full rounded-md border border-line bg-surface px-2 text-sm placeholder:text-faint"
        />
        <div className="flex max-h-72 flex-col gap-2 overflow-y-auto">
          {groups.map(({ provider, models, more }) => (
            <fieldset key={provider}>
              <legend className="px-1 text-xs font-semibold text-faint">{provider}</legend>
              {models.map(({ id, model, hasKey }) => (
                <label key={id} className="flex cursor-pointer items-center gap-2 rounded px-1 py-1 hover:bg-hover">
                  <input
                    type="checkbox"
                    aria-label={id}
                    checked={chosen.includes(id)}
                    disabled={!hasKey && !chosen.includes(id)}
                    onChange={() => toggle(id)}
                  />
                  <span className="min-w-0 truncate">{model}</span>
                  {!hasKey && <span className="ml-auto shrink-0 text-xs text-faint">{t('compare.ask-no-key')}</span>}
                </label>
              ))}
              {more > 0 && <p className="px-1 py-0.5 text-xs text-faint">{t('compare.ask-more', { count: more })}</p>}
            </fieldset>
          ))}
        </div>
        {groups.length === 0 && <p className="text-xs text-soft">{t('compare.ask-none-found')}</p>}
      </Popover>
      {chosen.length === 0 ? (
        <span className="text-xs text-soft">{t('compare.ask-choose')}</span>
      ) : (
        <ul aria-label={t('compare.ask-chosen')} className="flex min-w-0 flex-wrap gap-1">
          {chosen.map((id) => (
            <li key={id}>
              <button
                type="button"
                aria-label={t('compare.ask-remove', { model: id })}
                onClick={() => toggle(id)}
                className="flex h-6 items-center gap-1 rounded-md bg-sunken px-1.5 pointer-coarse:h-10 text-xs text-soft hover:bg-hover hover:text-ink"
              >
                {id.split('/').slice(1).join('/')} <X size={12} aria-hidden />
              </button>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

/** The parent of a new prompt: the last shared message, or its parent if it is a prompt itself. */
function promptParent(shared: readonly Node[]): string {
  const last = shared.at(-1);
  if (!last) return ROOT;
  return last.role === 'user' ? last.parent : last.id;
}

/**
 * Writes a prompt once and lets each model answer it. Without a text the models answer the last shared prompt. Returns the
 * columns to show.
 */
async function askSeveral(
  shared: readonly Node[],
  text: string,
  models: readonly string[],
): Promise<readonly ColumnEntry[]> {
  const prompt =
    text.trim() === '' ? await lastPrompt(shared.at(-1)!.id) : await writePrompt(promptParent(shared), text);
  const { node } = prompt;
  await ensurePath(node);
  const entries: ColumnEntry[] = [];
  let { thread } = prompt;
  for (const model of models) {
    const generation = await unwrap(
      api.generations.$post({ json: { node, model, again: true, ...(thread && { thread }) } }),
    );
    // The first answer forks a recorded conversation; the other models answer in that fork.
    thread = generation.thread;
    showGeneration(generation);
    entries.push({ kind: 'generation', id: generation.id });
  }
  return entries;
}

/** A message, and the conversation whose system text and tools apply to its answers. */
interface Prompt {
  readonly node: string;
  readonly thread: string | undefined;
}

async function lastPrompt(node: string): Promise<Prompt> {
  return { node, thread: (await findThreadWith(node))?.id };
}

async function writePrompt(parent: string, text: string): Promise<Prompt> {
  const messages = [{ role: 'user' as const, content: [{ type: 'text', text }] }];
  if (parent === ROOT) {
    const { id, head } = await unwrap(api.threads.$post({ json: { messages } }));
    return { node: head, thread: id };
  }
  const thread = (await findThreadWith(parent))?.id;
  const json = { messages, ...(thread && { thread }) };
  const { id, thread: written } = await unwrap(api.nodes[':node'].messages.$post({ param: { node: parent }, json }));
  return { node: id, thread: written };
}
