/** The colours of models in one tree: each model has its own, in the order of first use. */
export type ModelColors = ReadonlyMap<string, string>;

/** The colours in index.css. */
const COUNT = 8;

/** The CSS colour of every model. After the eighth they repeat. */
export function modelColors(nodes: Iterable<{ readonly model?: string | undefined }>): ModelColors {
  const colors = new Map<string, string>();
  for (const { model } of nodes)
    if (model !== undefined && !colors.has(model)) colors.set(model, `var(--model-${(colors.size % COUNT) + 1})`);
  return colors;
}
