import { useQuery } from '@tanstack/react-query';
import { ListPlus, SendHorizontal, X } from 'lucide-react';
import { type FormEvent, useState } from 'react';
import { api, unwrap } from '../api/client.ts';
import { queries } from '../api/queries.ts';
import { type Model, type Node, ROOT } from '../api/types.ts';
import { showGeneration } from '../state/live.ts';
import { ensurePath } from '../state/nodes.ts';
import { findThreadWith } from '../state/place.ts';
import { useView } from '../state/view.ts';
import { Button } from '../ui/button.tsx';
import { Popover } from '../ui/popover.tsx';
import { toastError } from '../ui/toasts.tsx';
import { type ColumnEntry, MOST_COLUMNS } from './columns.ts';

interface AskSeveralProps {
  /** The messages that all columns have in common. */
  readonly shared: readonly Node[];
  readonly onAsked: (entries: readonly ColumnEntry[]) => void;
}

const FEWEST = 2;

/** One prompt to several models at once. */
export function AskSeveral({ shared, onAsked }: AskSeveralProps) {
  const chosen = useView((view) => view.compared);
  const { data } = useQuery(queries.models());
  const [text, setText] = useState('');
  const [isAsking, setAsking] = useState(false);
  const known = new Set(data?.items.map(({ id }) => id));
  const models = chosen.filter((id) => known.has(id));
  const canRepeat = shared.at(-1)?.role === 'user' || shared.at(-1)?.role === 'tool';
  const isReady = models.length >= FEWEST && !isAsking && (text.trim() !== '' || canRepeat);
  const ask = async () => {
    if (!isReady) return;
    setAsking(true);
    try {
      onAsked(await askSeveral(shared, text, models));
      setText('');
    } catch (error) {
      toastError(error);
    } finally {
      setAsking(false);
    }
  };
  const hint = canRepeat
    ? 'A new prompt; or nothing, to have the last shared one answered by these models'
    : 'One prompt to several models at once';
  return (
    <form
      aria-label="Ask several models"
      onSubmit={(event: FormEvent) => {
        event.preventDefault();
        void ask();
      }}
      className="shrink-0 border-t border-line bg-surface p-3"
    >
      <textarea
        aria-label="Prompt"
        placeholder={hint}
        rows={2}
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
            event.preventDefault();
            void ask();
          }
        }}
        className="field-sizing-content max-h-40 min-h-14 w-full resize-none rounded-md border border-line bg-page px-3 py-2 text-sm placeholder:text-faint"
      />
      <div className="mt-2 flex flex-wrap items-center gap-2">
        <ModelChoice all={data?.items ?? []} chosen={models} onChange={(compared) => useView.setState({ compared })} />
        <Button type="submit" look="primary" className="ml-auto" disabled={!isReady}>
          <SendHorizontal size={16} /> Ask {models.length > 0 ? models.length : ''}
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

/** There are hundreds of models; the rest is found by typing a part of the name. */
const MOST_SHOWN = 60;

/** Two to four models. */
function ModelChoice({ all, chosen, onChange }: ModelChoiceProps) {
  const [words, setWords] = useState('');
  const fits = all.filter(({ id }) => id.toLowerCase().includes(words.trim().toLowerCase()));
  const toggle = (id: string) =>
    onChange(chosen.includes(id) ? chosen.filter((other) => other !== id) : [...chosen, id].slice(-MOST_COLUMNS));
  return (
    <>
      <Popover
        label="Models to ask"
        side="top"
        trigger={
          <Button small>
            <ListPlus size={14} /> Models
          </Button>
        }
      >
        <input
          type="search"
          aria-label="Find a model"
          placeholder="Find a model"
          value={words}
          onChange={(event) => setWords(event.target.value)}
          className="mb-2 h-8 w-full rounded-md border border-line bg-surface px-2 text-sm placeholder:text-faint"
        />
        <ul className="flex max-h-64 flex-col overflow-y-auto">
          {fits.slice(0, MOST_SHOWN).map(({ id, hasKey }) => (
            <li key={id}>
              <label className="flex cursor-pointer items-center gap-2 rounded px-1 py-1 hover:bg-hover">
                <input
                  type="checkbox"
                  checked={chosen.includes(id)}
                  disabled={!hasKey && !chosen.includes(id)}
                  onChange={() => toggle(id)}
                  className="accent-accent"
                />
                <span className="min-w-0 truncate">{id}</span>
                {!hasKey && <span className="ml-auto shrink-0 text-xs text-faint">no key</span>}
              </label>
            </li>
          ))}
        </ul>
        {fits.length === 0 && <p className="text-xs text-soft">No model has this name.</p>}
        {fits.length > MOST_SHOWN && (
          <p className="mt-1 text-xs text-soft">{fits.length - MOST_SHOWN} more; type a part of the name.</p>
        )}
      </Popover>
      {chosen.length === 0 ? (
        <span className="text-xs text-soft">Choose two to four models</span>
      ) : (
        <ul aria-label="Chosen models" className="flex min-w-0 flex-wrap gap-1">
          {chosen.map((id) => (
            <li key={id}>
              <button
                type="button"
                aria-label={`Do not ask ${id}`}
                onClick={() => toggle(id)}
                className="flex h-6 items-center gap-1 rounded-md bg-sunken px-1.5 text-xs text-soft hover:bg-hover hover:text-ink"
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
    const generation = await unwrap(api.generations.$post({ json: { node, model, ...(thread && { thread }) } }));
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
