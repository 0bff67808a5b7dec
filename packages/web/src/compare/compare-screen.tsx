import { useQuery } from '@tanstack/react-query';
import { ArrowUpRight, Columns3, Equal, GitCompare, Loader, Plus, Replace, X } from 'lucide-react';
import { type ReactElement, useEffect, useMemo, useState } from 'react';
import { Link, useLocation, useSearchParams } from 'wouter';
import { queries } from '../api/queries.ts';
import type { Node } from '../api/types.ts';
import { Blocks } from '../blocks/blocks.tsx';
import { RoleIcon } from '../graph/role-icon.tsx';
import { ChangesView } from '../inspector/changes-view.tsx';
import { comparableText } from '../inspector/comparable-text.ts';
import { wordDiff } from '../inspector/word-diff.ts';
import type { LiveBranch } from '../state/live-generation.ts';
import { useView } from '../state/view.ts';
import { Button, IconButton } from '../ui/button.tsx';
import { providerColor } from '../ui/colors.ts';
import { money, pluralize, shortId, shortNumber, totalTokens } from '../ui/format.ts';
import { Menu } from '../ui/menu.tsx';
import { RetryNote } from '../ui/retry-note.tsx';
import { Empty, Failed, Loading } from '../ui/states.tsx';
import { AskSeveral } from './ask-several.tsx';
import {
  type Column,
  type ColumnEntry,
  MOST_COLUMNS,
  readEntries,
  sharedLength,
  useColumns,
  writeEntries,
} from './columns.ts';

/** Two to four branches side by side. */
export default function CompareScreen() {
  const [, go] = useLocation();
  const [params] = useSearchParams();
  const marked = useView((view) => view.marked);
  const asked = params.get('nodes');
  const entries = readEntries(asked ?? marked.join());
  const [showsDifferences, setShowsDifferences] = useState(true);
  const columns = useColumns(entries);
  const show = (next: readonly ColumnEntry[], replace = false) =>
    go(`/compare?nodes=${writeEntries(next)}`, { replace });

  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when the screen is opened without saying what to show
  useEffect(() => {
    if (asked === null && entries.length > 0) show(entries, true);
  }, [asked]);

  // A generation that ended is shown by its node, so that the address stays valid.
  const ended = columns.map(({ entry, live, path }) => {
    const isOver = entry.kind === 'generation' && live !== undefined && live.status === 'done';
    return isOver && path.at(-1)?.id === live.head ? live.head : undefined;
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: only when one more has ended
  useEffect(() => {
    if (ended.some((id) => id !== undefined))
      show(
        entries.map((entry, index) => (ended[index] === undefined ? entry : { kind: 'node', id: ended[index] })),
        true,
      );
  }, [ended.join()]);

  const paths = columns.map(({ path }) => path).filter((path) => path.length > 0);
  const isThere = columns.every(({ path, error }) => path.length > 0 || error !== undefined);
  const length = isThere || paths.length > 1 ? sharedLength(paths) : 0;
  const ends = paths.flatMap((path) => path.at(-1)?.id ?? []);
  const shared = paths[0]?.slice(0, length) ?? [];

  return (
    <div className="flex h-full flex-col">
      <div className="flex shrink-0 flex-wrap items-center gap-2 border-b border-line bg-surface px-3 py-1.5">
        <h1 className="flex items-center gap-2 text-sm font-medium">
          <GitCompare size={16} aria-hidden className="text-faint" /> Compare
        </h1>
        <span className="grow" />
        {columns.length > 1 && showsDifferences && (
          <span className="hidden text-xs text-faint lg:inline">
            <ins>Underlined</ins>: not in the first. <del>Struck out</del>: only in the first.
          </span>
        )}
        {columns.length > 1 && (
          <Button
            small
            aria-pressed={showsDifferences}
            className="aria-pressed:border-accent aria-pressed:bg-accent-soft aria-pressed:text-accent"
            onClick={() => setShowsDifferences(!showsDifferences)}
          >
            <Columns3 size={14} /> Differences
          </Button>
        )}
        {columns.length > 0 && columns.length < MOST_COLUMNS && (
          <LeafMenu
            top={paths[0]?.[0]?.id}
            taken={ends}
            onPick={(id) => show([...entries, { kind: 'node', id }])}
            trigger={
              <Button small>
                <Plus size={14} /> Add a branch
              </Button>
            }
          />
        )}
      </div>
      <div className="min-h-0 grow overflow-auto">
        {columns.length === 0 ? (
          <Empty title="Nothing to compare yet" icon={<GitCompare size={32} />}>
            Mark messages with <b>m</b> in a{' '}
            <Link href="/" className="text-accent underline">
              conversation
            </Link>
            , or ask several models at once below.
          </Empty>
        ) : (
          <>
            {paths.length > 0 && <SharedPart path={shared} />}
            <ColumnGrid
              columns={columns}
              shared={length}
              showsDifferences={showsDifferences}
              onChange={(index, id) => show(entries.with(index, { kind: 'node', id }))}
              onRemove={(index) => show(entries.toSpliced(index, 1))}
            />
          </>
        )}
      </div>
      <AskSeveral shared={shared} onAsked={show} />
    </div>
  );
}

/** The messages that all columns have in common, shown once. */
function SharedPart({ path }: { readonly path: readonly Node[] }) {
  const last = path.at(-1);
  if (!last) return <p className="border-b border-line px-4 py-2 text-xs text-soft">They have no message in common.</p>;
  return (
    <details className="group border-b border-line bg-page">
      <summary className="flex items-center gap-2 px-4 py-2 text-xs text-soft hover:bg-hover">
        <RoleIcon role={last.role} />
        <span className="shrink-0 font-medium text-ink">{pluralize(path.length, 'message')} in common</span>
        <span className="min-w-0 truncate group-open:hidden">{comparableText(last.content).slice(0, 300)}</span>
      </summary>
      <ol className="flex flex-col gap-3 px-4 pb-3">
        {path.map((node) => (
          <li key={node.id} className="flex gap-2">
            <span className="pt-0.5">
              <RoleIcon role={node.role} />
            </span>
            <span className="sr-only">{node.role}: </span>
            <div className="min-w-0 max-w-3xl">
              <Blocks node={node.id} blocks={node.content} />
            </div>
          </li>
        ))}
      </ol>
    </details>
  );
}

interface ColumnGridProps {
  readonly columns: readonly Column[];
  /** The number of messages that all paths have in common. */
  readonly shared: number;
  readonly showsDifferences: boolean;
  readonly onChange: (index: number, id: string) => void;
  readonly onRemove: (index: number) => void;
}

/** Columns in one scrolling area, aligned turn by turn. On a narrow screen they follow one another. */
function ColumnGrid({ columns, shared, showsDifferences, onChange, onRemove }: ColumnGridProps) {
  const turns = columns.map(({ path }) => path.slice(shared));
  const first = turns[0] ?? [];
  const rows = Math.max(...columns.map(({ live }, index) => turns[index]!.length + (isWriting(live) ? 1 : 0)), 1) + 1;
  return (
    <div className="md:grid" style={{ gridTemplateColumns: `repeat(${columns.length}, minmax(280px, 1fr))` }}>
      {columns.map((column, index) => (
        <section
          key={`${column.entry.kind}${column.entry.id}`}
          aria-label={`Branch ${index + 1}`}
          style={{ gridRow: `span ${rows}` }}
          className="border-b border-line md:grid md:grid-rows-subgrid md:border-b-0 md:not-last:border-r"
        >
          <ColumnHeader
            column={column}
            number={index + 1}
            turns={turns[index]!}
            taken={columns.flatMap(({ path }) => path.at(-1)?.id ?? [])}
            onChange={(id) => onChange(index, id)}
            onRemove={() => onRemove(index)}
          />
          {column.error !== undefined ? (
            <Failed error={column.error} />
          ) : column.path.length === 0 ? (
            <Loading label={`Loading branch ${index + 1}`} />
          ) : (
            turns[index]!.map((node, turn) => {
              const other = first[turn];
              const isCompared = showsDifferences && index > 0 && other?.role === node.role;
              return (
                <Turn
                  key={node.id}
                  node={node}
                  asText={showsDifferences && columns.length > 1}
                  {...(isCompared && other && { against: comparableText(other.content) })}
                />
              );
            })
          )}
          {column.live && <LiveTurn live={column.live} />}
        </section>
      ))}
    </div>
  );
}

function isWriting(live: Column['live']): boolean {
  return live !== undefined && live.status !== 'done';
}

interface ColumnHeaderProps {
  readonly column: Column;
  readonly number: number;
  /** Its messages after those that all columns share. */
  readonly turns: readonly Node[];
  /** The last nodes of all columns. */
  readonly taken: readonly string[];
  readonly onChange: (id: string) => void;
  readonly onRemove: () => void;
}

function ColumnHeader({ column, number, turns, taken, onChange, onRemove }: ColumnHeaderProps) {
  const { path } = column;
  const takes = turns.flatMap((node) => node.takes.slice(-1));
  const written = takes.findLast(({ model }) => model !== undefined);
  const model = column.model?.split('/').slice(1).join('/') ?? written?.model ?? (path.length === 0 ? '…' : 'no model');
  const provider = column.model?.split('/')[0] ?? written?.provider;
  const end = path.at(-1)?.id;
  const tokens = takes.reduce((sum, { usage }) => sum + (usage ? totalTokens(usage) : 0), 0);
  const cost = takes.reduce((sum, take) => sum + (take.cost ?? 0), 0);
  const durationMs = written?.durationMs;
  return (
    <header className="sticky top-0 z-10 border-b border-line bg-surface px-4 py-2">
      <div className="flex items-center gap-1">
        <h2 className="flex min-w-0 grow items-center gap-2 text-sm font-medium">
          <span
            aria-hidden
            className="size-2 shrink-0 rounded-full"
            style={{ background: `var(--${providerColor(provider)})` }}
          />
          <span className="truncate" title={model}>
            {model}
          </span>
        </h2>
        <LeafMenu
          top={path[0]?.id}
          taken={taken}
          onPick={onChange}
          trigger={
            <IconButton label={`Show another branch in column ${number}`}>
              <Replace size={14} />
            </IconButton>
          }
        />
        <IconButton label={`Remove column ${number}`} onClick={onRemove}>
          <X size={14} />
        </IconButton>
      </div>
      <p className="flex flex-wrap items-center gap-x-2 text-xs text-soft tabular-nums">
        {end !== undefined && (
          <Link href={`/c/${end}`} className="flex items-center gap-0.5 text-accent hover:underline">
            {shortId(end)} <ArrowUpRight size={12} aria-hidden />
          </Link>
        )}
        {path.length > 0 && <span>{pluralize(turns.length, 'message')}</span>}
        {tokens > 0 && <span>{shortNumber(tokens)} tokens</span>}
        {cost > 0 && <span>{money(cost)}</span>}
        {durationMs !== undefined && <span>{(durationMs / 1000).toFixed(1)} s</span>}
      </p>
    </header>
  );
}

interface TurnProps {
  readonly node: Node;
  /** As plain text, so that it reads like what it is compared with. */
  readonly asText: boolean;
  /** The text of the same turn in the first column. */
  readonly against?: string;
}

/** One message of a column. */
function Turn({ node, asText, against }: TurnProps) {
  const text = useMemo(() => comparableText(node.content), [node]);
  return (
    <article className="min-w-0 px-4 py-3" aria-label={node.role}>
      <p className="mb-1 flex items-center gap-1.5 text-xs text-soft">
        <RoleIcon role={node.role} /> {node.role}
        {against === text && (
          <span className="flex items-center gap-1 text-faint">
            <Equal size={12} aria-hidden /> as in the first
          </span>
        )}
      </p>
      {against !== undefined ? (
        <Compared before={against} after={text} />
      ) : asText ? (
        <div className="text-sm break-words whitespace-pre-wrap">{text}</div>
      ) : (
        <Blocks node={node.id} blocks={node.content} />
      )}
    </article>
  );
}

function Compared({ before, after }: { readonly before: string; readonly after: string }) {
  const changes = useMemo(() => wordDiff(before, after), [before, after]);
  return <ChangesView changes={changes} />;
}

/** The message that is being generated, or the reason why it was not. */
function LiveTurn({ live }: { readonly live: LiveBranch }) {
  if (live.status === 'done') return null;
  return (
    <article className="min-w-0 px-4 py-3" aria-label="assistant">
      <p role="status" className="mb-1 flex items-center gap-1.5 text-xs text-soft">
        {live.status === 'running' ? (
          <>
            <Loader size={14} aria-hidden className="animate-spin text-assistant" />{' '}
            {live.retry ? <RetryNote {...live.retry} /> : 'writing'}
          </>
        ) : (
          STATES[live.status]
        )}
      </p>
      <Blocks node="live" blocks={live.blocks} isLive />
      {live.error && <p className="text-sm text-danger">{live.error.message}</p>}
    </article>
  );
}

const STATES: Readonly<Record<Exclude<LiveBranch['status'], 'running' | 'done'>, string>> = {
  waiting: 'A tool call waits for approval: open the branch.',
  failed: 'It could not be answered',
  aborted: 'It was stopped',
};

interface LeafMenuProps {
  /** The first message of the tree. */
  readonly top: string | undefined;
  readonly taken: readonly string[];
  readonly onPick: (id: string) => void;
  readonly trigger: ReactElement;
}

const LENGTH = 48;

/** A menu of the leaves of a tree, the newest first. */
function LeafMenu({ top, taken, onPick, trigger }: LeafMenuProps) {
  const leaves = useQuery({ ...queries.leaves(top ?? ''), enabled: top !== undefined });
  const items = (leaves.data?.items ?? [])
    .filter(({ id }) => !taken.includes(id))
    .toSorted((a, b) => b.at - a.at)
    .map((node) => {
      const model = node.takes.findLast((take) => take.model !== undefined)?.model ?? node.role;
      const text = comparableText(node.content).replace(/\s+/g, ' ').slice(0, LENGTH);
      return { title: `${shortId(node.id)} · ${model} · ${text}`, run: () => onPick(node.id) };
    });
  const none = { title: 'There is no other branch', disabled: true, run: () => undefined };
  return <Menu trigger={trigger} items={items.length > 0 ? items : [none]} />;
}
