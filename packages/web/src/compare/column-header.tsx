import { ArrowUpRight, Replace, X } from 'lucide-react';
import { Link } from 'wouter';
import type { Node } from '../api/types.ts';
import { IconButton } from '../ui/button.tsx';
import { allTokens, counted, money, providerColor, shortId, shortNumber } from '../ui/format.ts';
import { LeafMenu } from './leaf-menu.tsx';
import type { Column } from './use-columns.ts';

export interface ColumnHeaderProps {
  readonly column: Column;
  readonly number: number;
  /** Its messages behind what all have in common. */
  readonly turns: readonly Node[];
  /** Nodes that columns end at. */
  readonly taken: readonly string[];
  readonly onChange: (id: string) => void;
  readonly onRemove: () => void;
}

export function ColumnHeader({ column, number, turns, taken, onChange, onRemove }: ColumnHeaderProps) {
  const { path } = column;
  const takes = turns.flatMap((node) => node.takes.slice(-1));
  const written = takes.findLast(({ model }) => model !== undefined);
  const model = column.model?.split('/').slice(1).join('/') ?? written?.model ?? (path.length === 0 ? '…' : 'no model');
  const provider = column.model?.split('/')[0] ?? written?.provider;
  const end = path.at(-1)?.id;
  const tokens = takes.reduce((sum, { usage }) => sum + (usage ? allTokens(usage) : 0), 0);
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
        {path.length > 0 && <span>{counted(turns.length, 'message')}</span>}
        {tokens > 0 && <span>{shortNumber(tokens)} tokens</span>}
        {cost > 0 && <span>{money(cost)}</span>}
        {durationMs !== undefined && <span>{(durationMs / 1000).toFixed(1)} s</span>}
      </p>
    </header>
  );
}
