import { ArrowUpRight, Check, Replace, ThumbsDown, ThumbsUp, X } from 'lucide-react';
import { Link } from 'wouter';
import type { Node } from '../api/types.ts';
import { rate } from '../conversation/marks.ts';
import { toAddress } from '../state/address.ts';
import { Button, IconButton } from '../ui/button.tsx';
import { duration, money, shortId, shortNumber, totalTokens } from '../ui/format.ts';
import { ProviderDot } from '../ui/provider-dot.tsx';
import { t } from '../words/words.ts';
import type { Column } from './columns.ts';
import { keepBranch } from './keep-branch.ts';
import { LeafMenu } from './leaf-menu.tsx';

/** What a column took, to be compared with the others. */
export interface ColumnFigures {
  readonly cost: number | undefined;
  readonly milliseconds: number | undefined;
  readonly tokens: number;
  /** Characters that the model wrote. */
  readonly length: number;
}

/** Adds up what the messages after the shared ones took. */
export function columnFigures(nodes: readonly Node[]): ColumnFigures {
  const takes = nodes.flatMap(({ takes: all }) => all.slice(-1));
  const sum = (values: readonly (number | undefined)[]) => {
    const known = values.filter((value) => value !== undefined);
    return known.length === 0 ? undefined : known.reduce((total, value) => total + value, 0);
  };
  const written = nodes.filter(({ role }) => role === 'assistant').flatMap(({ content }) => content);
  return {
    cost: sum(takes.map(({ cost }) => cost)),
    milliseconds: sum(takes.map(({ durationMs }) => durationMs)),
    tokens: takes.reduce((total, { usage }) => total + (usage ? totalTokens(usage) : 0), 0),
    length: written.reduce((total, block) => total + (block.type === 'text' ? block.text.length : 0), 0),
  };
}

interface ColumnHeaderProps {
  readonly column: Column;
  readonly number: number;
  /** Its messages after those that all columns share. */
  readonly nodes: readonly Node[];
  /** Those of all columns, in their order. */
  readonly figures: readonly ColumnFigures[];
  /** The last nodes of all columns. */
  readonly taken: readonly string[];
  readonly onChange: (id: string) => void;
  readonly onRemove: () => void;
}

export function ColumnHeader({ column, number, nodes, figures, taken, onChange, onRemove }: ColumnHeaderProps) {
  const { path } = column;
  const written = nodes.flatMap(({ takes }) => takes.slice(-1)).findLast(({ model }) => model !== undefined);
  const model =
    column.model?.split('/').slice(1).join('/') ?? written?.model ?? (path.length === 0 ? '…' : t('compare.no-model'));
  const provider = column.model?.split('/')[0] ?? written?.provider;
  const end = path.at(-1);
  const answer = nodes.findLast(({ role }) => role === 'assistant');
  return (
    <header className="sticky top-0 z-10 flex flex-col gap-2 border-b border-line bg-surface px-4 py-2.5">
      <div className="flex items-center gap-1">
        <h2 className="flex min-w-0 grow items-center gap-2 text-sm font-semibold">
          <ProviderDot provider={provider} />
          <span className="truncate" title={model}>
            {model}
          </span>
        </h2>
        {answer && <Rating node={answer} number={number} />}
        <LeafMenu
          top={path[0]?.id}
          taken={taken}
          onPick={onChange}
          trigger={
            <IconButton label={t('compare.replace', { number })}>
              <Replace size={14} />
            </IconButton>
          }
        />
        <IconButton label={t('compare.remove', { number })} onClick={onRemove}>
          <X size={14} />
        </IconButton>
      </div>
      <Figures figures={figures} at={number - 1} />
      {end && (
        <div className="flex items-center justify-between gap-2 text-xs">
          <Link
            href={toAddress(undefined, end.id)}
            aria-label={`${shortId(end.id)}: ${t('compare.open', { number })}`}
            className="flex items-center gap-0.5 font-mono text-accent hover:underline"
          >
            {shortId(end.id)} <ArrowUpRight size={12} aria-hidden />
          </Link>
          <Button small aria-label={t('compare.keep-column', { number })} onClick={() => void keepBranch(end.id)}>
            <Check size={14} aria-hidden /> {t('compare.keep')}
          </Button>
        </div>
      )}
    </header>
  );
}

function Rating({ node, number }: { readonly node: Node; readonly number: number }) {
  const { rating } = node.marks;
  return (
    <>
      <IconButton label={t('compare.good', { number })} pressed={rating === 1} onClick={() => void rate(node, 1)}>
        <ThumbsUp size={14} />
      </IconButton>
      <IconButton label={t('compare.bad', { number })} pressed={rating === -1} onClick={() => void rate(node, -1)}>
        <ThumbsDown size={14} />
      </IconButton>
    </>
  );
}

/** Cost, time and length as bars; the longest bar is the largest of all columns. */
function Figures({ figures, at }: { readonly figures: readonly ColumnFigures[]; readonly at: number }) {
  const own = figures[at];
  if (!own) return null;
  const rows = [
    { name: t('compare.cost'), value: own.cost, all: figures.map(({ cost }) => cost), text: money(own.cost ?? 0) },
    {
      name: t('compare.time'),
      value: own.milliseconds,
      all: figures.map(({ milliseconds }) => milliseconds),
      text: duration(own.milliseconds ?? 0),
    },
    {
      name: t('compare.length'),
      value: own.length || undefined,
      all: figures.map(({ length }) => length),
      text: t('compare.characters', { count: shortNumber(own.length) }),
    },
  ];
  return (
    <dl className="grid grid-cols-[auto_1fr_auto] items-center gap-x-2 gap-y-1 text-xs tabular-nums">
      {rows.map(({ name, value, all, text }) => {
        const most = Math.max(...all.map((one) => one ?? 0));
        const share = value === undefined || most === 0 ? 0 : value / most;
        return (
          <div key={name} className="contents">
            <dt className="text-faint">{name}</dt>
            <dd aria-hidden className="h-1 overflow-hidden rounded-full bg-hover">
              <div
                className="h-full rounded-full bg-line-strong"
                style={{ width: `${Math.max(share * 100, value ? 2 : 0)}%` }}
              />
            </dd>
            <dd className="min-w-14 text-right text-soft">{value === undefined ? '–' : text}</dd>
          </div>
        );
      })}
    </dl>
  );
}
