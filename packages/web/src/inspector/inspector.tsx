import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { Diff } from 'lucide-react';
import { type ReactNode, useEffect, useMemo, useState } from 'react';
import { queries } from '../api/queries.ts';
import type { Node, Take, Usage } from '../api/types.ts';
import { useCurrentThread } from '../state/current-thread.ts';
import { ensureChildren, pathTo, useNodes } from '../state/nodes.ts';
import { useRequestedPreviews } from '../state/previews.ts';
import { type InspectorTab, useView } from '../state/view.ts';
import { ago, duration, money, shortId, totalTokens } from '../ui/format.ts';
import { Empty, Failed, Loading } from '../ui/states.tsx';
import { Tabs } from '../ui/tabs.tsx';
import { LANGUAGE, t, tx } from '../words/words.ts';
import { CacheTurns } from './cache-turns.tsx';
import { ChangesView } from './changes-view.tsx';
import { comparableText } from './comparable-text.ts';
import { RequestTab } from './request-tab.tsx';
import { TextView } from './text-view.tsx';
import { TreeTab } from './tree-tab.tsx';
import { wordDiff } from './word-diff.ts';

const TABS: readonly { readonly tab: InspectorTab; readonly title: string }[] = [
  { tab: 'tree', title: t('inspector.tree') },
  { tab: 'raw', title: t('inspector.raw') },
  { tab: 'diff', title: t('inspector.diff') },
  { tab: 'usage', title: t('inspector.usage') },
  { tab: 'request', title: t('inspector.request') },
];

/** Details of the selected message. `leaf` is the last message of the path on screen. */
export function Inspector({ node, leaf }: { readonly node: string; readonly leaf: string }) {
  const tab = useView((view) => view.tab);
  return (
    <Tabs
      label={t('inspector.label')}
      tabs={TABS}
      selected={tab}
      onSelect={(selected) => useView.setState({ tab: selected })}
      className="flex h-full min-h-0 flex-col bg-surface"
    >
      <TabContent tab={tab} node={node} leaf={leaf} />
    </Tabs>
  );
}

interface ShownProps {
  readonly tab: InspectorTab;
  readonly node: string;
  readonly leaf: string;
}

function TabContent({ tab, node, leaf }: ShownProps): ReactNode {
  const found = useNodes((state) => state.nodes.get(node));
  if (!found) return <Loading />;
  switch (tab) {
    case 'tree':
      return <TreeTab node={found} leaf={leaf} />;
    case 'raw':
      return <RawTab key={node} node={found} />;
    case 'diff':
      return <DiffTab key={node} node={found} />;
    case 'usage':
      return <UsageTab node={found} />;
    case 'request':
      return <RequestTab key={node} node={found} />;
  }
}

/** The exact stored text of a message. */
export function RawTab({ node }: { readonly node: Node }) {
  const raw = useQuery(queries.raw(node.id));
  if (raw.error) return <Failed error={raw.error} onRetry={() => void raw.refetch()} />;
  if (raw.data === undefined) return <Loading label={t('inspector.raw-loading')} />;
  return <TextView text={raw.data} label={t('inspector.raw-label')} facts={<span>{node.dialect}</span>} />;
}

/** The differences between a message and one of its siblings. */
export function DiffTab({ node }: { readonly node: Node }) {
  const siblings = useNodes((state) => state.children.get(node.parent));
  const nodes = useNodes((state) => state.nodes);
  const [error, setError] = useState<unknown>();
  const [chosen, setChosen] = useState<string>();
  useEffect(() => {
    ensureChildren(node.parent).catch(setError);
  }, [node.parent]);
  if (error !== undefined) return <Failed error={error} />;
  if (!siblings) return <Loading label={t('inspector.diff-loading')} />;
  const others = siblings.filter((id) => id !== node.id);
  const other = nodes.get(chosen ?? findSibling(node, siblings) ?? '');
  if (!other)
    return (
      <Empty title={t('inspector.diff-none')} icon={<Diff size={20} />}>
        {t('inspector.diff-none-about')}
      </Empty>
    );
  return (
    <div className="flex h-full flex-col">
      <Choice node={node} siblings={siblings} others={others} other={other.id} onChoose={setChosen} />
      <Difference node={node} other={other} />
    </div>
  );
}

/** The sibling that it was edited from, else the previous one, else the next one. */
function findSibling(node: Node, siblings: readonly string[]): string | undefined {
  const source = node.takes.map(({ from }) => from).find((from) => from !== undefined && siblings.includes(from));
  const index = siblings.indexOf(node.id);
  return source ?? siblings[index - 1] ?? siblings[index + 1];
}

interface ChoiceProps {
  readonly node: Node;
  readonly siblings: readonly string[];
  readonly others: readonly string[];
  readonly other: string;
  readonly onChoose: (id: string) => void;
}

function Choice({ node, siblings, others, other, onChoose }: ChoiceProps) {
  const previews = useRequestedPreviews(others);
  const isEditedFrom = (sibling: string) => node.takes.some(({ from }) => from === sibling);
  return (
    <div className="flex shrink-0 items-center gap-2 border-b border-line px-3 py-1.5 text-xs whitespace-nowrap text-soft">
      {tx('inspector.diff-choice', {
        sibling: (
          <select
            aria-label={t('inspector.diff-choice-label')}
            value={other}
            onChange={(event) => onChoose(event.target.value)}
            className="h-7 min-w-0 grow rounded-md border border-line bg-surface px-1 text-ink"
          >
            {others.map((sibling) => {
              const { model, text = shortId(sibling) } = previews.get(sibling) ?? {};
              const words = [`${siblings.indexOf(sibling) + 1}/${siblings.length}`, model, text.slice(0, 60)];
              return (
                <option key={sibling} value={sibling}>
                  {[...words, isEditedFrom(sibling) && t('inspector.diff-edited')].filter(Boolean).join(' · ')}
                </option>
              );
            })}
          </select>
        ),
        index: siblings.indexOf(node.id) + 1,
        count: siblings.length,
      })}
    </div>
  );
}

function Difference({ node, other }: { readonly node: Node; readonly other: Node }) {
  const changes = useMemo(() => wordDiff(comparableText(other.content), comparableText(node.content)), [node, other]);
  const isSame = changes.every(({ kind }) => kind === 'same');
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keys
    <section className="min-h-0 grow overflow-y-auto p-3" tabIndex={0} aria-label={t('inspector.diff-label')}>
      {isSame && <p className="mb-2 text-xs text-soft">{t('inspector.diff-bytes-only')}</p>}
      <ChangesView changes={changes} />
    </section>
  );
}

/** Tokens and cost of a message, the path to it, its conversation and its whole tree. */
export function UsageTab({ node }: { readonly node: Node }) {
  const thread = useCurrentThread();
  const of = thread && { thread: thread.id };
  const own = useQuery(queries.usage({ node: node.id }));
  const path = useQuery(queries.usage({ path: node.id, ...of }));
  const whole = useQuery({ ...queries.usage({ thread: thread?.id ?? '' }), enabled: thread !== undefined });
  const top = useNodes((state) => pathTo(state.nodes, node.id)[0]?.id);
  const tree = useQuery({ ...queries.usage({ below: top ?? '' }), enabled: top !== undefined });
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keys
    <section className="flex h-full flex-col gap-5 overflow-y-auto p-3" tabIndex={0} aria-label={t('inspector.usage')}>
      <UsageCard title={t('inspector.usage-message')} total={own} />
      <UsageCard title={t('inspector.usage-path')} total={path} />
      {thread && <UsageCard title={t('inspector.usage-conversation', { title: thread.title })} total={whole} />}
      <UsageCard title={t('inspector.usage-tree')} total={tree} />
      {thread && <CacheTurns thread={thread.id} node={node.id} />}
      <TakeList takes={node.takes} />
    </section>
  );
}

export interface Total {
  readonly usage: Usage;
  readonly cost: number | null;
  /** The number of replies whose price is not known. */
  readonly withoutPrice: number;
  readonly replies: number;
}

const BUCKETS: readonly { readonly key: keyof Usage; readonly title: string; readonly color: string }[] = [
  { key: 'input', title: t('inspector.input'), color: 'bg-(--chart-3)' },
  { key: 'cacheRead', title: t('inspector.cache-read'), color: 'bg-(--chart-6)' },
  { key: 'cacheWrite5m', title: t('inspector.cache-write-minutes'), color: 'bg-(--chart-5)' },
  { key: 'cacheWrite1h', title: t('inspector.cache-write-hour'), color: 'bg-(--chart-2)' },
  { key: 'output', title: t('inspector.output'), color: 'bg-(--chart-1)' },
  { key: 'reasoning', title: t('inspector.reasoning'), color: 'bg-(--chart-4)' },
];

/** Tokens by kind, with the cost and the cache hit rate. */
export function UsageCard({ title, total }: { readonly title: string; readonly total: UseQueryResult<Total> }) {
  return (
    <section aria-label={title}>
      <h3 className="mb-2 flex items-baseline justify-between gap-3 text-sm font-medium">
        <span className="min-w-0 truncate">{title}</span>
        {total.data && <span className="shrink-0 tabular-nums">{describeCost(total.data)}</span>}
      </h3>
      {total.error ? <p className="text-xs text-danger">{total.error.message}</p> : <Buckets total={total.data} />}
    </section>
  );
}

/** The cost; it says so when replies without a price are missing from it. */
function describeCost({ cost, withoutPrice }: Total): string {
  if (cost === null) return t('inspector.cost-unknown');
  return withoutPrice > 0 ? t('inspector.cost-partly', { cost: money(cost), count: withoutPrice }) : money(cost);
}

function Buckets({ total }: { readonly total: Total | undefined }) {
  if (!total) return <div className="h-12" />;
  const { usage, replies } = total;
  const all = totalTokens(usage);
  if (all === 0)
    return (
      <p className="text-xs text-soft">{replies === 0 ? t('inspector.usage-no-model') : t('inspector.usage-none')}</p>
    );
  const used = BUCKETS.filter(({ key }) => usage[key] > 0);
  const read = usage.input + usage.cacheRead + usage.cacheWrite5m + usage.cacheWrite1h;
  return (
    <>
      <div aria-hidden className="mb-2 flex h-2 gap-px overflow-hidden rounded bg-sunken">
        {used.map(({ key, color }) => (
          <div key={key} className={color} style={{ width: `${(100 * usage[key]) / all}%`, minWidth: 2 }} />
        ))}
      </div>
      <dl className="grid grid-cols-[1fr_auto] gap-x-3 gap-y-0.5 text-xs">
        {used.map(({ key, title, color }) => (
          <Row key={key} title={title} color={color} value={usage[key].toLocaleString(LANGUAGE)} />
        ))}
        <Row title={t('inspector.all-tokens')} value={all.toLocaleString(LANGUAGE)} />
        {read > 0 && (
          <Row title={t('inspector.cache-hit-rate')} value={`${Math.round((100 * usage.cacheRead) / read)} %`} />
        )}
        {replies > 1 && <Row title={t('inspector.replies')} value={String(replies)} />}
      </dl>
    </>
  );
}

export function Row({
  title,
  value,
  color,
}: {
  readonly title: string;
  readonly value: string;
  readonly color?: string;
}) {
  return (
    <>
      <dt className="flex items-center gap-1.5 text-soft">
        {color && <span aria-hidden className={`size-2 shrink-0 rounded-sm ${color}`} />}
        {title}
      </dt>
      <dd className="text-right break-all tabular-nums">{value}</dd>
    </>
  );
}

/** The takes of a message. Identical bytes after an identical history are one node with several takes. */
export function TakeList({ takes }: { readonly takes: readonly Take[] }) {
  return (
    <section aria-label={t('inspector.takes')}>
      <h3 className="mb-2 text-sm font-medium">
        {takes.length === 1 ? t('inspector.origin') : t('inspector.origin-takes', { count: takes.length })}
      </h3>
      <ul className="flex flex-col gap-2">
        {takes.map((take) => (
          <li key={take.id} className="rounded-md border border-line p-2">
            <p className="mb-1 text-xs font-medium break-all">
              {take.model ?? AUTHORS[take.author]}
              <span className="font-normal text-soft" title={new Date(take.at).toLocaleString(LANGUAGE)}>
                {' '}
                · {ago(take.at)}
              </span>
            </p>
            <dl className="grid grid-cols-[1fr_auto] gap-x-3 gap-y-0.5 text-xs">
              {describeTake(take).map(([title, value]) => (
                <Row key={title} title={title} value={value} />
              ))}
            </dl>
          </li>
        ))}
      </ul>
    </section>
  );
}

const AUTHORS: Readonly<Record<Take['author'], string>> = {
  person: t('inspector.by-person'),
  model: t('inspector.by-model'),
  tool: t('inspector.by-tool'),
  unknown: t('inspector.by-unknown'),
};

function describeTake(take: Take): readonly (readonly [string, string])[] {
  const { provider, via, stop, cut, firstEventMs, durationMs, usage, cost, requestId, estimated } = take;
  const written = usage ? usage.output + usage.reasoning : 0;
  const writing = (durationMs ?? 0) - (firstEventMs ?? 0);
  const facts: readonly (readonly [string, string | undefined])[] = [
    [t('inspector.provider'), provider],
    [t('inspector.via'), via],
    [t('inspector.first-event'), firstEventMs === undefined ? undefined : duration(firstEventMs)],
    [t('inspector.duration'), durationMs === undefined ? undefined : duration(durationMs)],
    [
      t('inspector.speed'),
      written > 0 && writing > 0
        ? t('inspector.tokens-per-second', { number: (written / (writing / 1000)).toFixed(1) })
        : undefined,
    ],
    [t('inspector.stopped'), stop?.reason],
    [t('inspector.cut-off'), cut ? t('inspector.cut-yes') : undefined],
    [t('inspector.cost'), cost === undefined ? undefined : money(cost)],
    [t('inspector.numbers'), estimated ? t('inspector.estimated') : undefined],
    [t('inspector.request-id'), requestId],
  ];
  return facts.flatMap(([title, value]) => (value === undefined ? [] : [[title, value] as const]));
}
