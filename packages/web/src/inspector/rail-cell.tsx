import type { ModelColors } from '../graph/model-colors.ts';
import type { RailRow } from '../graph/rail.ts';
import { useMedia } from '../ui/use-media.ts';
import { t } from '../words/words.ts';

/** A message as the rail draws it. */
export interface RailNode {
  readonly id: string;
  readonly parent: string;
  readonly role: string;
  readonly at: number;
  readonly model?: string | undefined;
}

/** The height of a line for a mouse and for a finger. */
const [ROW_HEIGHT, LARGE_ROW_HEIGHT] = [28, 44];

export function useRowHeight(): number {
  return useMedia('(pointer: coarse)') ? LARGE_ROW_HEIGHT : ROW_HEIGHT;
}

/** Lanes beyond this are drawn on top of each other in the last one. */
export const MOST_LANES = 9;
const STEP = 14;

interface RailCellProps {
  readonly row: RailRow;
  readonly rows: readonly RailRow[];
  readonly lanes: number;
  readonly node: RailNode;
  readonly colors: ModelColors;
  readonly isSelected: boolean;
  readonly height: number;
}

/** The part of the rail beside one line: its dot, the lines that pass, and those that branch off. */
export function RailCell({ row, rows, lanes, node, colors, isSelected, height }: RailCellProps) {
  const middle = height / 2;
  const x = laneAt(row.lane);
  const color = nodeColor(node, colors);
  const isMain = (to: number) => row.isOnPath && rows[to]!.isOnPath;
  const style = (to: number) => lineStyle(rows[to]!.isOnPath);
  return (
    <svg aria-hidden width={lanes * STEP + 6} height={height} className="ml-1 shrink-0 overflow-visible">
      {row.passing.map(({ lane, to }) => (
        <path key={`p${lane}-${to}`} d={`M${laneAt(lane)} 0V${height}`} {...style(to)} />
      ))}
      {row.parent >= 0 && <path d={`M${x} 0V${middle}`} {...lineStyle(row.isOnPath)} />}
      {row.leaving
        .toSorted((a, b) => Number(isMain(a.to)) - Number(isMain(b.to)))
        .map(({ lane, to }) => {
          const end = laneAt(lane);
          const bend = `M${x} ${middle}C${x} ${height - 2} ${end} ${middle + 2} ${end} ${height}`;
          return <path key={`l${lane}-${to}`} d={end === x ? `M${x} ${middle}V${height}` : bend} {...style(to)} />;
        })}
      {isSelected && <circle cx={x} cy={middle} r={7} fill="none" stroke="var(--accent)" strokeWidth={1.5} />}
      <Dot x={x} y={middle} role={row.fold.ids.length > 1 ? 'run' : node.role} color={color} />
    </svg>
  );
}

interface DotProps {
  readonly x: number;
  readonly y: number;
  readonly role: string;
  readonly color: string;
}

/** Models are filled dots in their colour, people rings, tools diamonds, and runs three small dots. */
function Dot({ x, y, role, color }: DotProps) {
  if (role === 'run') return [-4, 0, 4].map((dy) => <circle key={dy} cx={x} cy={y + dy} r={1.5} fill="var(--soft)" />);
  if (role === 'tool')
    return <path d={`M${x} ${y - 5}l5 5l-5 5l-5 -5z`} fill="var(--surface)" stroke="var(--tool)" strokeWidth={2} />;
  if (role === 'assistant') return <circle cx={x} cy={y} r={4.5} fill={color} />;
  return <circle cx={x} cy={y} r={4} fill="var(--surface)" stroke="var(--soft)" strokeWidth={2} />;
}

function laneAt(lane: number): number {
  return Math.min(lane, MOST_LANES - 1) * STEP + 9;
}

function lineStyle(isStrong: boolean) {
  return isStrong
    ? { stroke: 'var(--accent)', strokeWidth: 2.5, fill: 'none' }
    : { stroke: 'var(--line-strong)', strokeWidth: 1.25, fill: 'none' };
}

function nodeColor({ model }: RailNode, colors: ModelColors): string {
  return `var(${(model !== undefined && colors.get(model)) || '--soft'})`;
}

/** The names of the colours. */
export function ModelLegend({ colors }: { readonly colors: ModelColors }) {
  if (colors.size === 0) return null;
  return (
    <ul
      aria-label={t('inspector.models')}
      className="flex shrink-0 flex-wrap gap-x-3 gap-y-1 border-t border-line px-3 py-1.5 text-xs text-soft"
    >
      {[...colors].map(([model, color]) => (
        <li key={model} className="flex min-w-0 items-center gap-1.5">
          <span aria-hidden className="size-2 shrink-0 rounded-full" style={{ background: `var(${color})` }} />
          <span className="truncate">{model}</span>
        </li>
      ))}
    </ul>
  );
}
