import { blocksOf } from '../api/types.ts';
import { comparableText } from '../inspector/comparable-text.ts';
import { Failed, Loading } from '../ui/states.tsx';
import { ColumnHeader } from './column-header.tsx';
import { LiveTurn, Turn } from './turn.tsx';
import type { Column } from './use-columns.ts';

export interface ColumnGridProps {
  readonly columns: readonly Column[];
  /** How many messages of each path all have in common. */
  readonly shared: number;
  readonly showsDifferences: boolean;
  readonly onChange: (index: number, id: string) => void;
  readonly onRemove: (index: number) => void;
}

/** Columns in one scrolling area; their turns stand in rows. On a narrow screen one follows the other. */
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
                  {...(isCompared && other && { against: comparableText(blocksOf(other)) })}
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
