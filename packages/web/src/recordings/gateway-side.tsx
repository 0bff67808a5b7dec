import { ArrowRight, CircleCheck, TriangleAlert } from 'lucide-react';
import type { Recording } from '../api/types.ts';
import { t, tx } from '../words/words.ts';
import { lostThings } from './outcome.tsx';

type Upstream = NonNullable<Recording['upstream']>;

/** Which model answered in place of the one that the client asked for, and how it came to that. */
export function GatewaySummary({
  recording: { model, dialect, upstream, gateway },
}: {
  readonly recording: Recording;
}) {
  if (!upstream) return null;
  const { provider, model: answered, dialect: spoken, attempt } = upstream;
  const lost = lostThings({ upstream });
  const facts = [
    gateway?.route !== undefined && t('gateway.route', { name: gateway.route }),
    gateway?.token !== undefined && t('gateway.token', { name: gateway.token }),
    attempt > 1 && t('gateway.attempt', { number: attempt }),
    lost.length > 0 && t('gateway.lost', { count: lost.length }),
  ].filter((fact) => fact !== false);
  return (
    <p className="flex flex-wrap items-center gap-x-1.5 gap-y-0.5 text-xs">
      <span>{dialect}</span>
      <span className="text-soft">{model}</span>
      <ArrowRight size={12} aria-label={t('gateway.answered-by')} className="shrink-0 text-faint" />
      <span>{spoken}</span>
      <span className="font-medium">
        {provider}/{answered}
      </span>
      {facts.length > 0 && <span className="text-soft">· {facts.join(' · ')}</span>}
    </p>
  );
}

/** What was lost between the client and the provider, what was put back, and which names were changed. */
export function LostBetween({ upstream }: { readonly upstream: Upstream }) {
  const { losses, restored, calls = {} } = upstream;
  const lost = lostThings({ upstream });
  const added = losses.filter((loss) => !lost.includes(loss));
  const renamed = Object.entries(calls).filter(([client, provider]) => client !== provider);
  return (
    <div className="flex flex-col gap-4 p-3 text-xs">
      <section>
        <h3 className="mb-1 font-semibold text-faint">{t('gateway.losses')}</h3>
        {lost.length === 0 ? (
          <p className="flex items-center gap-2 text-ok">
            <CircleCheck size={14} aria-hidden className="shrink-0" />
            {t('gateway.losses-none')}
          </p>
        ) : (
          <ul className="flex flex-col gap-1">
            {lost.map(({ text }, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: two losses may read the same
              <li key={index} className="flex gap-2">
                <TriangleAlert size={14} aria-hidden className="mt-px shrink-0 text-warn" />
                <span className="min-w-0 break-words">{text}</span>
              </li>
            ))}
          </ul>
        )}
      </section>
      {added.length > 0 && (
        <section>
          <h3 className="mb-1 font-semibold text-faint">{t('gateway.added')}</h3>
          <ul className="flex flex-col gap-1">
            {added.map(({ text }, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: two additions may read the same
              <li key={index} className="break-words">
                {text}
              </li>
            ))}
          </ul>
        </section>
      )}
      {restored.length > 0 && (
        <section>
          <h3 className="mb-1 font-semibold text-faint">{t('gateway.own-bytes')}</h3>
          <ul className="flex flex-col gap-1">
            {restored.map(({ message, exchange }) => (
              <li key={message}>
                {tx('gateway.own-bytes-of', {
                  message: message + 1,
                  exchange: <span className="font-mono">{exchange}</span>,
                })}
              </li>
            ))}
          </ul>
        </section>
      )}
      {renamed.length > 0 && (
        <section>
          <h3 className="mb-1 font-semibold text-faint">{t('gateway.renamed')}</h3>
          <dl className="grid grid-cols-[minmax(8rem,auto)_1fr] gap-x-4 font-mono leading-6">
            {renamed.map(([client, provider]) => (
              <div key={client} className="contents">
                <dt className="break-all text-soft">{client}</dt>
                <dd className="break-all">{provider}</dd>
              </div>
            ))}
          </dl>
        </section>
      )}
    </div>
  );
}
