import { Check, Copy } from 'lucide-react';
import { Fragment, useEffect, useState } from 'react';
import { t } from '../words/words.ts';
import { IconButton } from './button.tsx';
import { writeClipboard } from './clipboard.ts';
import { toastError } from './toasts.tsx';

const SAID_MS = 1500;

/** Copies a text to the clipboard and confirms it for a moment. */
export function CopyButton({ text, label = t('ui.copy') }: { readonly text: string; readonly label?: string }) {
  const [isDone, setDone] = useState(false);
  useEffect(() => {
    if (!isDone) return;
    const timer = setTimeout(() => setDone(false), SAID_MS);
    return () => clearTimeout(timer);
  }, [isDone]);
  const copy = () =>
    writeClipboard(text).then(
      () => setDone(true),
      () => toastError(t('ui.clipboard-refused')),
    );
  return (
    <IconButton label={isDone ? t('ui.copied') : label} onClick={() => void copy()}>
      {isDone ? <Check size={16} className="text-ok" /> : <Copy size={16} />}
    </IconButton>
  );
}

/** A few lines of code with a copy button. Long addresses and assignments are broken between their parts. */
export function CodeLine({ text, label }: { readonly text: string; readonly label: string }) {
  return (
    <div className="flex items-start gap-1 rounded-md border border-line bg-sunken py-0.5 pr-0.5 pl-2">
      <pre className="min-w-0 grow self-center py-1 font-mono text-xs leading-5 wrap-anywhere whitespace-pre-wrap text-ink">
        <code>
          {text.split(/(?<=\w[=/])(?=\w)/).map((part, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text have nothing else
            <Fragment key={index}>
              {part}
              <wbr />
            </Fragment>
          ))}
        </code>
      </pre>
      <CopyButton text={text} label={label} />
    </div>
  );
}
