import { ArrowUpRight, Equal, Loader, Replace, X } from 'lucide-react';
import { useMemo } from 'react';
import { Link } from 'wouter';
import type { Node } from '../api/types.ts';
import { Blocks } from '../blocks/blocks.tsx';
import { RoleIcon } from '../graph/role-icon.tsx';
import { ChangesView } from '../inspector/changes-view.tsx';
import { comparableText } from '../inspector/comparable-text.ts';
import { wordDiff } from '../inspector/word-diff.ts';
import type { LiveBranch } from '../state/live-generation.ts';
import { IconButton } from '../ui/button.tsx';
import { providerColor } from '../ui/colors.ts';
import { money, pluralize, shortId, shortNumber, totalTokens } from '../ui/format.ts';
import { Failed, Loading } from '../ui/states.tsx';
import { LeafMenu } from './leaf-menu.tsx';
import type { Column } from './use-columns.ts';

interface ColumnGridProps {
  readonly columns: readonly Column[];
  /** The number of messages that all paths have in common. */
  readonly shared: number;
  readonly showsDifferences: boolean;
  readonly onChange: (index: number, id: string) => void;
  readonly onRemove: (index: number) => void;
}

/** Columns in one scrolling area, aligned turn by turn. On a narrow screen they follow one another. */
export function ColumnGrid({ columns, shared, showsDifferences, onChange, onRemove }: ColumnGridProps) {
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
            <Loader size={14} aria-hidden className="animate-spin text-assistant" /> {live.retry ?? 'writing'}
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
