import { CircleCheck, Info, Split } from 'lucide-react';
import type { NextRequest, Node, SentRequest } from '../api/types.ts';

export interface PartingProps {
  readonly request: SentRequest | NextRequest;
  /** The last message before it that answers a request. */
  readonly before: Node | undefined;
}

/** Whether a request extends the one before it, or where it parts from it. */
export function Parting({ request: { parts, dialect }, before: last }: PartingProps) {
  if (!parts) {
    const isExtending = last?.dialect === dialect;
    return (
      <p className={`flex items-center gap-2 px-3 py-2 text-xs ${isExtending ? 'text-ok' : 'text-soft'}`}>
        {isExtending ? (
          <CircleCheck size={14} aria-hidden className="shrink-0" />
        ) : (
          <Info size={14} aria-hidden className="shrink-0" />
        )}
        {isExtending
          ? 'It extends the request before it: caches and signatures hold.'
          : last
            ? `The request before it speaks another protocol, ${last.dialect}: they have no beginning in common.`
            : 'It is the first request on this path.'}
      </p>
    );
  }
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
