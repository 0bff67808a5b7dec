import { CircleCheck, Split } from 'lucide-react';
import type { NextRequest, SentRequest } from '../api/types.ts';

/** Whether a request extends the one before it, or where it parts from it. */
export function Parting({ request: { parts } }: { readonly request: SentRequest | NextRequest }) {
  if (!parts)
    return (
      <p className="flex items-center gap-2 px-3 py-2 text-xs text-ok">
        <CircleCheck size={14} aria-hidden className="shrink-0" />
        It parts from no request before it: caches and signatures hold.
      </p>
    );
  const { part, index, before, after } = parts;
  return (
    <div className="px-3 py-2 text-xs">
      <p className="flex items-center gap-2 text-warn">
        <Split size={14} aria-hidden className="shrink-0" />
        It parts from the request before it {WHERE[part]}
        {part === 'system' ? '' : ` ${index + 1}`}: what follows is read anew.
      </p>
      <dl className="mt-1 grid grid-cols-[auto_1fr] gap-x-2 gap-y-0.5 pl-5">
        <Side title="Before" text={before} />
        <Side title="Now" text={after} />
      </dl>
    </div>
  );
}

const WHERE = { system: 'in the system text', tools: 'at tool', messages: 'at message' } as const;
const LENGTH = 300;

function Side({ title, text }: { readonly title: string; readonly text: string | undefined }) {
  return (
    <>
      <dt className="text-soft">{title}</dt>
      <dd className="line-clamp-2 font-mono break-all">{text === undefined ? 'nothing' : text.slice(0, LENGTH)}</dd>
    </>
  );
}
