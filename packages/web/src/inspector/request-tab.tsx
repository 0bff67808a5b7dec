import { useQuery } from '@tanstack/react-query';
import { CircleCheck, Info, Split, Terminal, TriangleAlert } from 'lucide-react';
import { useState } from 'react';
import { Link } from 'wouter';
import { queries, queryClient } from '../api/queries.ts';
import type { NextRequest, Node, RequestLoss, SentRequest } from '../api/types.ts';
import { toAddress } from '../state/address.ts';
import { useConversationAddress } from '../state/current-thread.ts';
import { pathTo, useNodes } from '../state/nodes.ts';
import { toRequestOptions, useView } from '../state/view.ts';
import { Button, IconButton } from '../ui/button.tsx';
import { writeClipboard } from '../ui/clipboard.ts';
import { Empty, Failed, Loading } from '../ui/states.tsx';
import { toast, toastError } from '../ui/toasts.tsx';
import { t } from '../words/words.ts';
import { listOpenCalls } from './open-calls.ts';
import { TextView } from './text-view.tsx';

/** The request that a message answers, or the one that would be sent below it. */
export function RequestTab({ node }: { readonly node: Node }) {
  const wasSent = node.takes.some(
    (take) => take.hasRequest || (take.exchange !== undefined && take.author === 'model'),
  );
  const [which, setWhich] = useState<'sent' | 'next'>(wasSent ? 'sent' : 'next');
  return (
    <div className="flex h-full flex-col">
      {wasSent && (
        // biome-ignore lint/a11y/useSemanticElements: a fieldset would have to have a legend that is seen
        <div
          role="group"
          aria-label={t('inspector.request-which')}
          className="flex gap-1 border-b border-line px-2 py-1.5"
        >
          {(['sent', 'next'] as const).map((each) => (
            <Button
              key={each}
              small
              look="quiet"
              aria-pressed={which === each}
              className="aria-pressed:bg-accent-soft aria-pressed:text-accent"
              onClick={() => setWhich(each)}
            >
              {each === 'sent' ? t('inspector.request-sent') : t('inspector.request-next')}
            </Button>
          ))}
        </div>
      )}
      <div className="min-h-0 grow">{which === 'sent' ? <Sent node={node} /> : <Next node={node} />}</div>
    </div>
  );
}

function answersRequest({ takes }: Node): boolean {
  return takes.some((take) => take.hasRequest || (take.exchange !== undefined && take.author === 'model'));
}

function Sent({ node }: { readonly node: Node }) {
  const nodes = useNodes((state) => state.nodes);
  const sent = useQuery(queries.request(node.id, useConversationAddress()?.thread));
  if (sent.error) return <Failed error={sent.error} onRetry={() => void sent.refetch()} />;
  if (!sent.data) return <Loading label={t('inspector.request-loading')} />;
  return (
    <RequestView request={sent.data} below={node.parent} before={pathTo(nodes, node.parent).findLast(answersRequest)} />
  );
}

function Next({ node }: { readonly node: Node }) {
  const nodes = useNodes((state) => state.nodes);
  const path = pathTo(nodes, node.id);
  const open = listOpenCalls(path);
  const view = useView();
  const thread = useConversationAddress()?.thread;
  const next = useQuery({
    ...queries.nextRequest(node.id, toRequestOptions(view, thread)),
    enabled: open.length === 0,
  });
  if (open.length > 0)
    return (
      <Empty title={t('inspector.request-unknown')}>{t('inspector.request-waits', { open: open.join(', ') })}</Empty>
    );
  if (next.error) return <Failed error={next.error} onRetry={() => void next.refetch()} />;
  if (!next.data) return <Loading label={t('inspector.request-preparing')} />;
  return <RequestView request={next.data} below={node.id} before={path.findLast(answersRequest)} />;
}

interface RequestViewProps {
  readonly request: SentRequest | NextRequest;
  /** The node below which the request is sent. */
  readonly below: string;
  readonly before: Node | undefined;
}

function RequestView({ request, below, before }: RequestViewProps) {
  const { body, dialect, model, provider, losses = [] } = request;
  return (
    <div className="flex h-full min-h-0 flex-col">
      <div className="max-h-1/2 shrink-0 overflow-y-auto">
        <PrefixNote request={request} before={before} />
        {losses.length > 0 && <RequestLosses losses={losses} />}
      </div>
      <div className="min-h-0 grow">
        <TextView
          text={body}
          label={t('inspector.request-body')}
          facts={
            <>
              <span className="max-w-48 truncate font-medium text-ink" title={`${provider ?? ''} ${model}`}>
                {model}
              </span>
              <span>{dialect}</span>
            </>
          }
          actions={
            <IconButton label={t('inspector.request-curl')} onClick={() => void copyCurl(request, below)}>
              <Terminal size={16} />
            </IconButton>
          }
        />
      </div>
    </div>
  );
}

async function copyCurl(request: SentRequest | NextRequest, below: string): Promise<void> {
  try {
    const { url, headers } = 'headers' in request ? request : await fetchTarget(request, below);
    await writeClipboard(toCurl({ url, headers, body: request.body }));
    toast(t('inspector.request-curl-copied'));
  } catch (error) {
    toastError(error);
  }
}

/** The address of a request is not stored with it, so the current address of the same model is used. */
async function fetchTarget(
  { provider, model }: SentRequest,
  below: string,
): Promise<Pick<NextRequest, 'url' | 'headers'>> {
  const wish = { model: provider === undefined ? model : `${provider}/${model}` };
  return queryClient.fetchQuery(queries.nextRequest(below, wish));
}

interface PrefixNoteProps {
  readonly request: SentRequest | NextRequest;
  /** The last message before it that answered a request. */
  readonly before: Node | undefined;
}

/** Says whether a request extends the previous one, or where the two differ first. */
function PrefixNote({ request: { parts, dialect }, before: last }: PrefixNoteProps) {
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
          ? t('inspector.prefix-kept')
          : last
            ? t('inspector.prefix-protocol', { dialect: last.dialect })
            : t('inspector.prefix-first')}
      </p>
    );
  }
  const { part, index, before, after } = parts;
  return (
    <div className="px-3 py-2 text-xs">
      <p className="flex items-center gap-2 text-warn">
        <Split size={14} aria-hidden className="shrink-0" />
        {part === 'system' ? t('inspector.prefix-broken-system') : t(BROKEN_AT[part], { number: index + 1 })}
      </p>
      <dl className="mt-1 grid grid-cols-[auto_1fr] gap-x-2 gap-y-0.5 pl-5">
        <Side title={t('inspector.prefix-before')} text={before} />
        <Side title={t('inspector.prefix-now')} text={after} />
      </dl>
    </div>
  );
}

const BROKEN_AT = {
  tools: 'inspector.prefix-broken-tools',
  messages: 'inspector.prefix-broken-messages',
} as const;
const LENGTH = 300;

function Side({ title, text }: { readonly title: string; readonly text: string | undefined }) {
  return (
    <>
      <dt className="text-soft">{title}</dt>
      <dd className="line-clamp-2 font-mono break-all">
        {text === undefined ? t('inspector.prefix-nothing') : text.slice(0, LENGTH)}
      </dd>
    </>
  );
}

/** What a request leaves out, rewrites or adds. */
function RequestLosses({ losses }: { readonly losses: readonly RequestLoss[] }) {
  const thread = useConversationAddress()?.thread;
  return (
    <details className="border-t border-line px-3 py-2 text-xs" open={losses.length <= 3}>
      <summary className="flex items-center gap-2 text-warn">
        <TriangleAlert size={14} aria-hidden className="shrink-0" />
        {t('inspector.losses', { count: losses.length })}
      </summary>
      <ul className="mt-1 flex flex-col gap-1 pl-5">
        {losses.map((loss, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: two losses may read the same
          <li key={index}>
            {loss.text}{' '}
            {loss.node !== undefined && (
              <Link href={toAddress(thread, loss.node)} className="text-accent underline">
                {t('inspector.losses-show')}
              </Link>
            )}
          </li>
        ))}
      </ul>
    </details>
  );
}

interface CurlRequest {
  readonly url: string;
  /** Values may contain a shell variable: `Bearer $OPENAI_API_KEY`. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A command for a POSIX shell that sends a request byte for byte, with the key from the environment. */
export function toCurl({ url, headers, body }: CurlRequest): string {
  const lines = [
    `curl ${quote(url)}`,
    ...Object.entries(headers).map(([name, value]) => `-H ${quoteHeader(`${name}: ${value}`)}`),
    `--data-binary ${quote(body)}`,
  ];
  return lines.join(' \\\n  ');
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

const VARIABLE = /\$[A-Z][A-Z0-9_]*/g;

/** Puts single quotes around everything but variables, and double quotes around those. */
function quoteHeader(text: string): string {
  const variables = text.match(VARIABLE) ?? [];
  return text
    .split(VARIABLE)
    .flatMap((plain, index) => [plain === '' ? '' : quote(plain), variables[index] ? `"${variables[index]}"` : ''])
    .join('');
}
