import { useEffect, useRef } from 'react';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { useTheme } from '../state/theme.ts';
import { money } from '../ui/format.ts';
import type { StackedDays } from './stack-days.ts';

const HEIGHT = 240;
const DAY_S = 86_400;
/** The days between two names of days, in seconds. */
const STEPS = [1, 2, 4, 7, 14, 28].map((days) => days * DAY_S);
const MIN_BAR = 2;
const MAX_BAR = 48;

interface CostChartProps extends Pick<StackedDays, 'days' | 'stacks'> {
  /** The CSS variables of the parts of a bar. */
  readonly colors: readonly string[];
}

/** Costs by day as stacked bars. The table below it says the same to whoever cannot see them. */
export default function CostChart({ days, stacks, colors }: CostChartProps) {
  const place = useRef<HTMLDivElement>(null);
  const { theme } = useTheme();
  // biome-ignore lint/correctness/useExhaustiveDependencies: a canvas does not follow the theme by itself
  useEffect(() => {
    const element = place.current;
    if (!element) return;
    const draw = () => {
      const style = getComputedStyle(document.documentElement);
      const color = (name: string) => style.getPropertyValue(name).trim();
      const font = `12px ${getComputedStyle(document.body).fontFamily}`;
      const axis = { stroke: color('--soft'), font, ticks: { show: false } };
      return new uPlot(
        {
          width: element.clientWidth,
          height: HEIGHT,
          legend: { show: false },
          cursor: { show: false },
          padding: [12, 8, 0, 0],
          scales: {
            x: { time: true, range: (_plot, min, max) => [min - DAY_S / 2, max + DAY_S / 2] },
            y: { range: (_plot, _min, max) => [0, max > 0 ? max * 1.05 : 1] },
          },
          axes: [
            {
              ...axis,
              size: 32,
              grid: { show: false },
              incrs: STEPS,
              values: [[DAY_S, '{MMM} {D}', null, null, null, null, null, null, 1]],
            },
            {
              ...axis,
              size: 64,
              grid: { stroke: color('--line'), width: 1 },
              values: (_plot, splits) => splits.map((value) => money(value)),
            },
          ],
          // The tallest is drawn first, so that each bar shows its own part only.
          series: [
            {},
            ...colors
              .map((name) => ({
                fill: color(name),
                width: 0,
                points: { show: false },
                paths: uPlot.paths.bars!({ size: [0.7, MAX_BAR, MIN_BAR] }),
              }))
              .reverse(),
          ],
        },
        [days.map(toSeconds), ...stacks.toReversed().map((values) => [...values])],
        element,
      );
    };
    let plot = draw();
    const observer = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height: HEIGHT }));
    observer.observe(element);
    const themes = new MutationObserver(() => {
      plot.destroy();
      plot = draw();
    });
    themes.observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme'] });
    return () => {
      observer.disconnect();
      themes.disconnect();
      plot.destroy();
    };
  }, [days, stacks, colors, theme]);
  return <div ref={place} aria-hidden className="w-full" />;
}

function toSeconds(day: string): number {
  return new Date(`${day}T00:00:00`).getTime() / 1000;
}
