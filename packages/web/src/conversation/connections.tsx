import { useMutation, useQuery } from '@tanstack/react-query';
import { ChevronRight, CircleCheck, CircleX, KeyRound, LoaderCircle } from 'lucide-react';
import { useState } from 'react';
import { api, unwrap } from '../api/client.ts';
import { queries } from '../api/queries.ts';
import { AddKey } from '../settings/add-key.tsx';
import { useModel } from '../state/model.ts';
import { chooseModel } from '../state/view.ts';
import { Button } from '../ui/button.tsx';
import { duration } from '../ui/format.ts';
import { t } from '../words/words.ts';

/** Which providers have a key, whether it works, and how to add one. Keys are in the server's environment, never here. */
export function Connections() {
  const version = useQuery(queries.version());
  const { data } = useQuery(queries.providers());
  const isDemo = version.data?.demo === true;
  const [isOpen, setOpen] = useState(false);
  const ready = (data?.items ?? []).filter(({ hasKey, keyVariables }) => hasKey && keyVariables.length > 0);
  if (!data || !version.data) return null;
  const isShown = isOpen || isDemo || ready.length === 0;
  return (
    <section aria-label={t('connections.label')} className="mx-3">
      {!isDemo && ready.length > 0 && (
        <div className="flex justify-center">
          <Button small look="quiet" aria-expanded={isShown} onClick={() => setOpen(!isOpen)}>
            <KeyRound size={14} aria-hidden />
            {ready.length === 1
              ? t('connections.one-ready', { id: ready[0]!.id })
              : t('connections.ready', { count: ready.length })}
            <ChevronRight size={12} aria-hidden className={isShown ? 'rotate-90' : ''} />
          </Button>
        </div>
      )}
      {isShown && (
        <div className="mt-2 rounded-xl border border-line bg-surface p-4">
          {isDemo || ready.length === 0 ? (
            <>
              <h2 className="mb-1 font-medium">{t('connections.title')}</h2>
              <p className="mb-3 text-sm text-soft">{isDemo ? t('connections.demo') : t('connections.none')}</p>
              <AddKey />
            </>
          ) : (
            <ul aria-label={t('connections.list')} className="flex flex-col divide-y divide-line">
              {ready.map(({ id }) => (
                <ProviderRow key={id} provider={id} />
              ))}
            </ul>
          )}
        </div>
      )}
    </section>
  );
}

/** One provider: its key is tested with one short request, and its usual model can become the chosen one. */
function ProviderRow({ provider }: { readonly provider: string }) {
  const chosen = useModel();
  const check = useMutation({
    mutationFn: () => unwrap(api.providers[':provider'].check.$post({ param: { provider }, json: {} })),
  });
  const result = check.data;
  return (
    <li className="flex min-h-10 flex-wrap items-center gap-x-3 gap-y-1 py-1.5 text-sm">
      <span className="w-36 shrink-0 truncate font-medium max-sm:w-auto max-sm:grow">{provider}</span>
      <span
        role="status"
        className="flex min-w-0 grow items-center gap-1.5 text-xs text-soft max-sm:order-last max-sm:basis-full"
      >
        {check.isPending ? (
          <>
            <LoaderCircle size={14} aria-hidden className="animate-spin" /> {t('connections.testing')}
          </>
        ) : result?.works ? (
          <>
            <CircleCheck size={14} aria-hidden className="shrink-0 text-ok" />
            <span className="truncate">
              {t('connections.works', { model: result.model, time: duration(result.ms) })}
            </span>
          </>
        ) : (result ?? check.error) ? (
          <>
            <CircleX size={14} aria-hidden className="shrink-0 text-danger" />
            <span className="break-words text-danger">{result?.problem ?? check.error?.message}</span>
          </>
        ) : (
          t('connections.untested')
        )}
      </span>
      {result?.works && result.model !== chosen && (
        <Button small onClick={() => chooseModel(result.model)}>
          {t('connections.use', { model: result.model.split('/').slice(1).join('/') })}
        </Button>
      )}
      <Button small disabled={check.isPending} onClick={() => check.mutate()}>
        {t('connections.test')}
      </Button>
    </li>
  );
}
