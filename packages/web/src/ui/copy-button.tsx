import { Check, Copy } from 'lucide-react';
import { useEffect, useState } from 'react';
import { IconButton } from './button.tsx';
import { toastError } from './toasts.tsx';

const SHOWN_MS = 1500;

export function CopyButton({ text, label = 'Copy' }: { readonly text: string; readonly label?: string }) {
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => setCopied(false), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [copied]);
  return (
    <IconButton
      label={copied ? 'Copied' : label}
      onClick={() => navigator.clipboard.writeText(text).then(() => setCopied(true), toastError)}
    >
      {copied ? <Check size={14} className="text-ok" /> : <Copy size={14} />}
    </IconButton>
  );
}
