import { useEffect, useState } from 'react';
import type { Retry } from '../state/live-generation.ts';
import { t } from '../words/words.ts';

/** Counts down to the next attempt: "Retrying in 12 s: overloaded". */
export function RetryNote({ at, reason }: Retry) {
  const [now, setNow] = useState(Date.now);
  const left = Math.max(0, Math.ceil((at - now) / 1000));
  useEffect(() => {
    if (left === 0) return;
    const timer = setTimeout(() => setNow(Date.now()), Math.max(50, (at - Date.now()) % 1000));
    return () => clearTimeout(timer);
  });
  return (
    <span className="tabular-nums">
      {left === 0 ? t('ui.retrying') : t('ui.retrying-in-s', { left })}: {reason}
    </span>
  );
}
