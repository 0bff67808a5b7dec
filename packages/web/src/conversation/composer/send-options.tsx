import { useQuery } from '@tanstack/react-query';
import { ChevronUp, Plus, X } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { queries } from '../../api/queries.ts';
import { useModel } from '../../state/model.ts';
import { useView } from '../../state/view.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { Popover } from '../../ui/popover.tsx';
import { ProviderDot } from '../../ui/provider-dot.tsx';
import { t } from '../../words/words.ts';
import type { SendPlan } from '../actions.ts';

const ModelList = lazy(() => import('./model-list.tsx'));

const COUNTS = [1, 2, 3, 4, 6, 8] as const;

interface SendOptionsProps {
  readonly canSend: boolean;
  readonly onSend: (plan: SendPlan) => void;
}

/** Other ways to send: for several answers, to several models, or without asking. */
export function SendOptions({ canSend, onSend }: SendOptionsProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <Popover
      label={t('composer.ways')}
      open={isOpen}
      onOpenChange={setOpen}
      trigger={
        <IconButton label={t('composer.ways-label')}>
          <ChevronUp size={16} />
        </IconButton>
      }
    >
      <Options
        canSend={canSend}
        onSend={(plan) => {
          setOpen(false);
          onSend(plan);
        }}
      />
    </Popover>
  );
}

function Options({ canSend, onSend }: SendOptionsProps) {
  const chosen = useModel();
  const recent = useView((view) => view.recentModels);
  const enterSends = useView((view) => view.enterSends);
  const [answers, setAnswers] = useState(1);
  const [more, setMore] = useState<readonly string[]>([]);
  const [isAdding, setAdding] = useState(false);
  const { data } = useQuery(queries.models());
  const models = [...(chosen === undefined ? [] : [chosen]), ...more];
  const total = answers * Math.max(1, models.length);
  const offered = recent.filter(
    (one) => !models.includes(one) && data?.items.some(({ id, hasKey }) => id === one && hasKey),
  );
  const add = (id: string | undefined) => {
    if (id !== undefined && !models.includes(id)) setMore([...more, id]);
    setAdding(false);
  };
  return (
    <div className="flex flex-col gap-4">
      <p className="text-xs text-soft">{t('composer.ways-about')}</p>
      <fieldset>
        <legend className="mb-1.5 text-xs font-medium text-soft">{t('composer.ways-answers')}</legend>
        <div className="flex gap-1">
          {COUNTS.map((n) => (
            <label
              key={n}
              className={`flex h-8 grow cursor-pointer pointer-coarse:h-10 items-center justify-center rounded-md border text-sm has-focus-visible:outline-2 has-focus-visible:outline-accent ${n === answers ? 'border-accent bg-accent-soft font-medium text-accent' : 'border-line hover:bg-hover'}`}
            >
              <input
                type="radio"
                name="answers"
                className="sr-only"
                checked={n === answers}
                onChange={() => setAnswers(n)}
              />
              {n}
            </label>
          ))}
        </div>
      </fieldset>
      <fieldset className="flex flex-col gap-1">
        <legend className="mb-1.5 text-xs font-medium text-soft">{t('composer.models')}</legend>
        {models.map((id) => (
          <div
            key={id}
            className="flex h-8 items-center gap-2 rounded-md border border-line bg-page pointer-coarse:h-10 pr-1 pl-2 text-xs"
          >
            <ProviderDot provider={id.split('/')[0]} />
            <span className="min-w-0 grow truncate">{id}</span>
            {id !== chosen && (
              <IconButton
                label={t('composer.ways-remove-model', { id })}
                className="!size-6 pointer-coarse:!size-10"
                onClick={() => setMore(more.filter((one) => one !== id))}
              >
                <X size={12} />
              </IconButton>
            )}
          </div>
        ))}
        {offered.map((id) => (
          <Button key={id} small look="quiet" className="justify-start" onClick={() => add(id)}>
            <Plus size={12} aria-hidden /> <span className="truncate">{id}</span>
          </Button>
        ))}
        {isAdding ? (
          <Suspense fallback={<p className="text-xs text-faint">{t('composer.models-loading')}</p>}>
            <ModelList onChoose={add} />
          </Suspense>
        ) : (
          <Button small look="quiet" className="justify-start" onClick={() => setAdding(true)}>
            <Plus size={12} aria-hidden /> {t('composer.ways-add-model')}
          </Button>
        )}
      </fieldset>
      <div className="flex flex-col gap-1.5">
        <Button
          look="primary"
          disabled={!canSend}
          onClick={() => onSend({ answers, ...(models.length > 1 && { models }) })}
        >
          {total === 1 ? t('composer.send') : t('composer.ways-send', { count: total })}
        </Button>
        <Button disabled={!canSend} onClick={() => onSend({ answers: 0 })}>
          {t('composer.ways-send-only')}
        </Button>
      </div>
      <label className="flex items-center gap-2 border-t border-line pt-3 text-xs text-soft pointer-coarse:min-h-12">
        <input
          type="checkbox"
          checked={enterSends}
          onChange={(event) => useView.setState({ enterSends: event.target.checked })}
        />
        {t('composer.enter-sends')}
      </label>
    </div>
  );
}
