import { modelColors } from '../graph/model-colors.ts';

/** The CSS variables of the series, in their order; the last one is for all others. */
const COLORS = ['--chart-1', '--chart-2', '--chart-3', '--chart-4', '--chart-5', '--chart-6'] as const;

/** The CSS variables with the colours of the series. Models have the colours that they have in a tree. */
export function seriesColors(names: readonly string[], areModels: boolean): readonly string[] {
  const ofModels = modelColors(
    names.flatMap((model) => (model.includes('/') ? [{ model, provider: model.split('/')[0] }] : [])),
  );
  return names.map((name, index) =>
    areModels ? (ofModels.get(name) ?? COLORS.at(-1)!) : COLORS[Math.min(index, COLORS.length - 1)]!,
  );
}
