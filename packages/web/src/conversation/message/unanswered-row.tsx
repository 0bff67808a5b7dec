import { useQuery } from '@tanstack/react-query';
import { MessageCircleQuestion, RotateCw, TriangleAlert } from 'lucide-react';
import { queries } from '../../api/queries.ts';
import type { Node } from '../../api/types.ts';
import { useModel } from '../../state/model.ts';
import { Button } from '../../ui/button.tsx';
import { t } from '../../words/words.ts';
import { answer } from '../actions.ts';
import { useScreenState } from '../screen-state.ts';

/** Below a last message that nobody answers: why it was refused, or that nobody was asked, and a button to ask. */
export function UnansweredRow({ leaf }: { readonly leaf: Node }) {
  const asked = useScreenState((state) => state.asked.get(leaf.id));
  const { data } = useQuery(queries.generationsBelow(leaf.id));
  const model = useModel();
  const isAnswered = data === undefined || data.items.some(({ status }) => status === 'running' || status === 'done');
  if (asked?.isAsking || (isAnswered && !asked)) return null;
  const name = model?.split('/').slice(1).join('/');
  return (
    <div className="mx-auto w-full max-w-3xl pr-6 pl-9.5">
      <div
        role={asked ? 'alert' : 'status'}
        className={`my-2 flex items-center gap-3 rounded-xl p-2 pl-3 text-sm ${asked ? 'bg-danger-soft text-danger' : 'bg-sunken text-soft'}`}
      >
        {asked ? (
          <TriangleAlert size={16} aria-hidden className="shrink-0" />
        ) : (
          <MessageCircleQuestion size={16} aria-hidden className="shrink-0" />
        )}
        <p className="min-w-0 grow break-words">
          {asked ? t('message.failed', { error: asked.error }) : t('message.unasked')}
        </p>
        <Button small disabled={model === undefined} onClick={() => void answer(leaf)}>
          {asked && <RotateCw size={14} aria-hidden />}
          {asked ? t('message.try-again') : t('message.ask', { model: name ?? t('message.a-model') })}
        </Button>
      </div>
    </div>
  );
}
