/** The CSS variables of the series, in their order; the last one is for all others. */
const COLORS = ['--chart-1', '--chart-2', '--chart-3', '--chart-4', '--chart-5', '--chart-6'] as const;

/** The CSS variable with the colour of a series. */
export function seriesColor(index: number): string {
  return COLORS[Math.min(index, COLORS.length - 1)]!;
}
