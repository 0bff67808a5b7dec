import { Check, Copy } from 'lucide-react';
import { useEffect, useState } from 'react';
import { IconButton } from './button.tsx';
import { toastError } from './toasts.tsx';

const SAID_MS = 1500;

/** Puts a text on the clipboard, and says so for a moment. */
export function CopyButton({ text, label = 'Copy' }: { readonly text: string; readonly label?: string }) {
  const [isDone, setDone] = useState(false);
  useEffect(() => {
    if (!isDone) return;
    const timer = setTimeout(() => setDone(false), SAID_MS);
    return () => clearTimeout(timer);
  }, [isDone]);
  const copy = () =>
    navigator.clipboard.writeText(text).then(
      () => setDone(true),
      () => toastError('The browser does not let this page write to the clipboard.'),
    );
  return (
    <IconButton plainTip label={isDone ? 'Copied' : label} onClick={() => void copy()}>
      {isDone ? <Check size={16} className="text-ok" /> : <Copy size={16} />}
    </IconButton>
  );
}
