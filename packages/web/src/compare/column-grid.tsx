import { Equal, Loader } from 'lucide-react';
import { useCallback, useMemo, useRef, useState } from 'react';
import type { Node } from '../api/types.ts';
import { Blocks } from '../blocks/blocks.tsx';
import { resumeInPlace } from '../conversation/actions.ts';
import { ApprovalCard } from '../conversation/message/growing.tsx';
import { pairCalls } from '../conversation/message/pair-calls.ts';
import { RoleIcon } from '../graph/role-icon.tsx';
import { ChangesView } from '../inspector/changes-view.tsx';
import { comparableText } from '../inspector/comparable-text.ts';
import { wordDiff } from '../inspector/word-diff.ts';
import { useLiveBlocks } from '../state/live.ts';
import type { BranchOutline } from '../state/live-generation.ts';
import { Button } from '../ui/button.tsx';
import { RetryNote } from '../ui/retry-note.tsx';
import { Failed, Loading } from '../ui/states.tsx';
import { t } from '../words/words.ts';
import { alignTurns, type Turn, toTurns } from './align-turns.ts';
import { ColumnHeader, columnFigures } from './column-header.tsx';
import type { Column } from './columns.ts';
import { useMarkedDifferences } from './mark-differences.ts';

interface ColumnGridProps {
  readonly columns: readonly Column[];
  /** The number of messages that all paths have in common. */
  readonly shared: number;
  readonly showsDifferences: boolean;
  /** Whether messages are shown as they were written instead of as they read. */
  readonly showsSource: boolean;
  readonly onChange: (index: number, id: string) => void;
  readonly onRemove: (index: number) => void;
}

/** Columns in one scrolling area, aligned turn by turn. On a narrow screen they follow one another. */
export function ColumnGrid({ columns, shared, showsDifferences, showsSource, onChange, onRemove }: ColumnGridProps) {
  const root = useRef<HTMLDivElement>(null);
  const [counts, setCounts] = useState<ReadonlyMap<string, number>>(new Map());
  const onCount = useCallback((next: ReadonlyMap<string, number>) => {
    setCounts((before) => (isSame(before, next) ? before : next));
  }, []);
  useMarkedDifferences(root, showsDifferences && !showsSource && columns.length > 1, onCount);
  const own = columns.map(({ path }) => path.slice(shared));
  const rows = alignTurns(own.map(toTurns));
  const figures = own.map(columnFigures);
  const taken = columns.flatMap(({ path }) => path.at(-1)?.id ?? []);
  const cells = columns.map(({ live }, index) => {
    const turns = rows.map((row) => row[index]);
    const last = turns.findLastIndex((turn) => turn !== undefined);
    return isWriting(live) ? [...turns.slice(0, last + 1), LIVE, ...turns.slice(last + 2)] : turns;
  });
  const height = Math.max(...cells.map(({ length }) => length), 1) + 1;
  return (
    <div
      ref={root}
      className="md:grid"
      style={{ gridTemplateColumns: `repeat(${columns.length}, minmax(280px, 1fr))` }}
    >
      {columns.map((column, index) => (
        <section
          key={`${column.entry.kind}${column.entry.id}`}
          aria-label={t('compare.branch', { number: index + 1 })}
          style={{ gridRow: `span ${height}` }}
          className="border-b border-line md:grid md:grid-rows-subgrid md:border-b-0 md:not-last:border-r"
        >
          <ColumnHeader
            column={column}
            number={index + 1}
            nodes={own[index]!}
            figures={figures}
            taken={taken}
            onChange={(id) => onChange(index, id)}
            onRemove={() => onRemove(index)}
          />
          {column.error !== undefined ? (
            <Failed error={column.error} />
          ) : column.path.length === 0 ? (
            <Loading label={t('compare.loading', { number: index + 1 })} />
          ) : (
            cells[index]!.map((turn, row) =>
              turn === undefined ? (
                // biome-ignore lint/suspicious/noArrayIndexKey: a place in the grid without a turn
                <div key={row} className="border-b border-line bg-sunken/40 max-md:hidden" />
              ) : turn === LIVE ? (
                // biome-ignore lint/suspicious/noArrayIndexKey: there is one in a column
                <LiveTurn key={row} generation={column.entry.id} live={column.live!} />
              ) : (
                <TurnCell
                  key={turn.nodes[0]!.id}
                  turn={turn}
                  row={row}
                  column={index}
                  showsSource={showsSource}
                  differing={showsDifferences ? counts.get(`${row} ${index}`) : undefined}
                  {...(showsDifferences && index > 0 && rows[row]?.[0] && { against: rows[row][0] })}
                />
              ),
            )
          )}
        </section>
      ))}
    </div>
  );
}

/** The place of the message that is being written. */
const LIVE = 'live' as const;

function isWriting(live: Column['live']): boolean {
  return live !== undefined && live.status !== 'done';
}

function isSame(a: ReadonlyMap<string, number>, b: ReadonlyMap<string, number>): boolean {
  return a.size === b.size && [...a].every(([key, value]) => b.get(key) === value);
}

interface TurnCellProps {
  readonly turn: Turn;
  readonly row: number;
  readonly column: number;
  readonly showsSource: boolean;
  /** The same turn of the first column. */
  readonly against?: Turn;
  /** How many words differ from the first column. */
  readonly differing: number | undefined;
}

/** One turn of a column: a prompt, or an answer with its tool calls. */
function TurnCell({ turn, row, column, showsSource, against, differing }: TurnCellProps) {
  const text = useMemo(() => sourceOf(turn), [turn]);
  const other = useMemo(() => against && sourceOf(against), [against]);
  const role = turn.nodes[0]!.role;
  return (
    <article className="min-w-0 border-b border-line px-4 py-3" aria-label={role}>
      <p className="mb-1.5 flex items-center gap-1.5 text-xs text-soft">
        <RoleIcon role={role} /> {t(turn.kind === 'prompt' ? 'compare.prompt' : 'compare.answer')}
        {other === text ? (
          <span className="ml-auto flex items-center gap-1 text-faint">
            <Equal size={12} aria-hidden /> {t('compare.same')}
          </span>
        ) : (
          differing !== undefined && (
            <span className="ml-auto text-faint tabular-nums">
              {differing === Number.POSITIVE_INFINITY
                ? t('compare.very-different')
                : t('compare.words-differ', { count: differing })}
            </span>
          )
        )}
      </p>
      {showsSource ? (
        other !== undefined ? (
          <SourceChanges before={other} after={text} />
        ) : (
          <div className="font-mono text-[13px] leading-5 break-words whitespace-pre-wrap">{text}</div>
        )
      ) : (
        <div data-row={row} data-column={column}>
          <Messages nodes={turn.nodes} />
        </div>
      )}
    </article>
  );
}

function sourceOf({ nodes }: Turn): string {
  return nodes
    .map(({ content }) => comparableText(content))
    .filter(Boolean)
    .join('\n\n');
}

/** The messages of a turn as they read; results are shown with their calls. */
function Messages({ nodes }: { readonly nodes: readonly Node[] }) {
  const pairs = pairCalls(nodes);
  return nodes.map((node, index) => {
    const { results, shown } = pairs[index]!;
    return (
      <Blocks
        key={node.id}
        node={node.id}
        blocks={node.content}
        {...(results && { results })}
        {...(shown && { shownResults: shown })}
      />
    );
  });
}

function SourceChanges({ before, after }: { readonly before: string; readonly after: string }) {
  const changes = useMemo(() => wordDiff(before, after), [before, after]);
  return <ChangesView changes={changes} isSource />;
}

/** The message that is being generated, or the reason why it was not. */
function LiveTurn({ generation, live }: { readonly generation: string; readonly live: BranchOutline }) {
  const blocks = useLiveBlocks(generation, 0);
  return (
    <article className="min-w-0 border-b border-line px-4 py-3" aria-label={t('compare.assistant')}>
      <p role="status" className="mb-1.5 flex items-center gap-1.5 text-xs text-soft">
        {live.status === 'running' && (
          <Loader size={14} aria-hidden className="animate-spin text-assistant motion-reduce:hidden" />
        )}
        {live.status !== 'running' ? (
          describeStop(live.status)
        ) : live.retry ? (
          <RetryNote {...live.retry} />
        ) : (
          t('compare.writing')
        )}
      </p>
      <Blocks node={generation} blocks={blocks} isLive />
      {live.status === 'waiting' && live.pending && (
        <ApprovalCard
          key={live.head}
          calls={live.pending}
          onDecide={(approvals) => resumeInPlace(generation, approvals)}
        />
      )}
      {live.error && <p className="text-sm text-danger">{live.error.message}</p>}
      {(live.status === 'failed' || live.status === 'aborted') && (
        <Button small className="mt-2" onClick={() => void resumeInPlace(generation)}>
          {t('compare.try-again')}
        </Button>
      )}
    </article>
  );
}

function describeStop(status: Exclude<BranchOutline['status'], 'running'>): string {
  if (status === 'waiting') return t('compare.waits');
  return t(status === 'aborted' ? 'compare.stopped' : 'compare.failed');
}
