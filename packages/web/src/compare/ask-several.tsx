import { useQuery } from '@tanstack/react-query';
import { SendHorizontal } from 'lucide-react';
import { type FormEvent, useState } from 'react';
import { queries } from '../api/queries.ts';
import type { Node } from '../api/types.ts';
import { useView } from '../state/view.ts';
import { Button } from '../ui/button.tsx';
import { toastError } from '../ui/toasts.tsx';
import { askSeveral } from './ask.ts';
import type { Entry } from './columns.ts';
import { ModelChoice } from './model-choice.tsx';

export interface AskSeveralProps {
  /** What all columns have in common. */
  readonly shared: readonly Node[];
  readonly onAsked: (entries: readonly Entry[]) => void;
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
