import { useQuery } from '@tanstack/react-query';
import { type CacheTurn, cachingQuery } from '../api/caching.ts';
import { goTo } from '../state/place.ts';
import { money, shortNumber } from '../ui/format.ts';
import { t } from '../words/words.ts';

/** Hits and misses of the provider's prompt cache along the turns of a recorded conversation. Nothing if none was recorded. */
export function CacheTurns({ thread, node }: { readonly thread: string; readonly node: string }) {
  const { data } = useQuery(cachingQuery({ thread }));
  const turns = data?.turns ?? [];
  if (!data || turns.length === 0) return null;
  return (
    <section aria-label={t('cache.turns')}>
      <h3 className="text-sm font-medium">{t('cache.turns')}</h3>
      <p className="mb-2 text-xs text-soft tabular-nums">
        {t('cache.hit-rate', { percent: Math.round(data.hitRate * 100) })}
      </p>
      <ol className="flex flex-col gap-1">
        {turns.map((turn, index) => (
          <Turn key={turn.exchange} turn={turn} number={index + 1} isShown={turn.node === node} />
        ))}
      </ol>
    </section>
  );
}

interface TurnProps {
  readonly turn: CacheTurn;
  readonly number: number;
  readonly isShown: boolean;
}

function Turn({ turn, number, isShown }: TurnProps) {
  const { node, cause, sentence, prompt, read, missed, missedCost } = turn;
  const isMiss = missed > 0;
  const share = prompt === 0 ? 0 : (100 * read) / prompt;
  const lost = prompt === 0 ? 0 : Math.min(100 - share, (100 * missed) / prompt);
  const word = isMiss ? 'cache.miss' : cause === 'hit' ? 'cache.hit' : 'cache.none';
  return (
    <li className={`rounded-md border p-2 text-xs ${isShown ? 'border-accent' : 'border-line'}`}>
      <p className="mb-1 flex items-baseline gap-2">
        <span className="text-soft tabular-nums">{number}</span>
        <span className={`font-medium ${isMiss ? 'text-danger' : cause === 'hit' ? 'text-ok' : 'text-soft'}`}>
          {t(word)}
        </span>
        <span className="ml-auto text-right text-soft tabular-nums">
          {t('cache.tokens', { read: shortNumber(read), prompt: shortNumber(prompt) })}
          {isMiss && missedCost !== null && ` · ${t('cache.lost', { cost: money(missedCost) })}`}
        </span>
      </p>
      <div aria-hidden className="mb-1 flex h-1.5 gap-px overflow-hidden rounded bg-sunken">
        <div className="bg-ok" style={{ width: `${share}%` }} />
        <div className="bg-danger" style={{ width: `${lost}%` }} />
      </div>
      <p className="break-words text-soft">{sentence}</p>
      {node !== undefined && !isShown && (
        <button type="button" className="mt-1 text-accent underline" onClick={() => goTo(node)}>
          {t('cache.show')}
        </button>
      )}
    </li>
  );
}
