import { useQuery } from '@tanstack/react-query';
import { FileDiff, Unplug } from 'lucide-react';
import { type ReactNode, useMemo } from 'react';
import { queries } from '../../api/queries.ts';
import type { ContextChange, Loss, Node, Notice, RequestLoss } from '../../api/types.ts';
import { Foldable } from '../../blocks/fold.tsx';
import { useFold } from '../../blocks/folds.ts';
import { prettyJson } from '../../blocks/json-text.ts';
import { ChangesView } from '../../inspector/changes-view.tsx';
import { wordDiff } from '../../inspector/word-diff.ts';
import { useConversationAddress } from '../../state/current-thread.ts';
import { useLive } from '../../state/live.ts';
import { t } from '../../words/words.ts';
import { mainTake } from './author.ts';

interface MessageLossesProps {
  readonly node: Node;
  /** The previous answer came from another provider. */
  readonly isOtherProvider: boolean;
}

/** What the provider of an answer could not receive: from the notices of its generation, else from its request. */
export function MessageLosses({ node, isOtherProvider }: MessageLossesProps) {
  const take = mainTake(node);
  const thread = useConversationAddress()?.thread;
  const told = useLive(({ all }) => {
    const live = take?.generation === undefined ? undefined : all.get(take.generation);
    if (!live || live.node !== node.parent) return undefined;
    return (live.branches.find(({ head }) => head === node.id) ?? live.branches[0])?.notices;
  });
  const isAsked = isOtherProvider && told === undefined && take?.hasRequest === true && !take.cut;
  const { data } = useQuery({ ...queries.request(node.id, thread), enabled: isAsked });
  const notices = told ?? (data?.losses ? [{ code: 'losses' as const, message: '', losses: data.losses }] : []);
  if (notices.length === 0) return null;
  return <Notices place={node.id} notices={notices} provider={take?.provider ?? t('message.the-provider')} />;
}

/** Losses in notices have no `text`; losses of requests have one. */
type AnyLoss = Loss | RequestLoss;

interface NoticesProps {
  readonly place: string;
  readonly notices: readonly (Pick<Notice, 'code' | 'message'> & {
    readonly losses?: readonly AnyLoss[] | undefined;
  })[];
  readonly provider: string;
}

/** Notices in one line that unfolds to a list. */
export function Notices({ place, notices, provider }: NoticesProps) {
  const [isOpen, toggle] = useFold(place, 'losses');
  const losses = notices.flatMap((notice) => notice.losses ?? []);
  const others = notices.filter((notice) => !notice.losses?.length);
  if (losses.length + others.length === 0) return null;
  const said = [
    ...(losses.length > 0 ? [describeLosses('message.losses-count', losses, provider)] : []),
    ...others.map(({ message }) => message),
  ];
  return (
    <Foldable
      label={t('message.losses')}
      isOpen={isOpen}
      onToggle={toggle}
      summary={
        <>
          <Unplug size={14} aria-hidden className="shrink-0 text-warn" />
          <span className="truncate">{said.join(' · ')}</span>
        </>
      }
    >
      <LossList losses={losses} />
      {others.length > 0 && (
        <ul className="list-disc p-3 pl-7 text-xs text-soft">
          {others.map(({ code, message }) => (
            <li key={`${code}-${message}`}>{message}</li>
          ))}
        </ul>
      )}
    </Foldable>
  );
}

export function describeLosses(
  words: 'message.losses-count' | 'message.losses-ahead',
  losses: readonly AnyLoss[],
  provider: string,
): string {
  const reasons = [...new Set(losses.map(({ reason }) => reason.replaceAll('-', ' ')))].join(', ');
  return t(words, { count: losses.length, provider, reasons });
}

export function LossList({ losses }: { readonly losses: readonly AnyLoss[] }) {
  return (
    <ul className="flex flex-col gap-1 p-3 text-xs text-soft">
      {losses.map((loss, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: two losses may be told in the same words
        <li key={index} className="break-words">
          {'text' in loss ? loss.text : <LossInParts {...loss} />}
        </li>
      ))}
    </ul>
  );
}

function LossInParts({ kind, reason, path }: Loss) {
  return (
    <>
      <span className="font-medium text-ink">{kind}</span> {reason}
      <code className="ml-1 font-mono text-faint">{path}</code>
    </>
  );
}

/** A note above an answer whose request had another system text, other tools or a shortened history than the previous one. */
export function ContextNote({ change }: { readonly change: ContextChange }) {
  const [isOpen, toggle] = useFold(change.node, 'context');
  const { system, tools, compacted } = change;
  return (
    <Foldable
      label={t('message.context-label')}
      isOpen={isOpen}
      onToggle={toggle}
      summary={
        <>
          <FileDiff size={14} aria-hidden className="shrink-0 text-accent" />
          <span className="min-w-0">{describeChange(change)}</span>
        </>
      }
    >
      <div className="flex max-h-96 flex-col gap-3 overflow-y-auto p-3">
        {system && <Difference title={t('message.system-text')} {...system} />}
        {tools && (
          <Difference
            title={t('message.context-tools')}
            before={prettyJson(tools.before)}
            after={prettyJson(tools.after)}
          />
        )}
        {compacted?.replacement && (
          <Part title={t('message.context-summary', { count: compacted.messages })}>
            <p className="text-sm break-words whitespace-pre-wrap">{compacted.replacement}</p>
          </Part>
        )}
      </div>
    </Foldable>
  );
}

function describeChange({ system, tools, compacted }: ContextChange): string {
  const said: string[] = [];
  if (system && tools) said.push(t('message.context-both'));
  else if (system) said.push(t('message.context-system'));
  else if (tools) said.push(t('message.context-tools-changed'));
  if (compacted) {
    const key = compacted.replacement === '' ? 'message.context-dropped' : 'message.context-summarised';
    said.push(t(key, { count: compacted.messages }));
  }
  return said.join('. ');
}

function Difference({
  title,
  before,
  after,
}: {
  readonly title: string;
  readonly before: string;
  readonly after: string;
}) {
  const changes = useMemo(() => wordDiff(before, after), [before, after]);
  return (
    <Part title={title}>
      <ChangesView changes={changes} />
    </Part>
  );
}

function Part({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <section aria-label={title}>
      <h3 className="mb-1 text-xs font-medium text-soft">{title}</h3>
      {children}
    </section>
  );
}
