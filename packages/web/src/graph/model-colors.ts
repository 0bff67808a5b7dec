import { providerColor } from '../ui/colors.ts';

/** The colours of models: each has its own, as the name of a CSS variable in index.css. */
export type ModelColors = ReadonlyMap<string, string>;

/** The colours of models whose provider has none, or has given its own to another model. */
const OTHERS = ['--model-4', '--model-5', '--model-6', '--model-7', '--model-8'] as const;
const PROVIDERS = ['--openai', '--anthropic', '--google'] as const;

interface Authored {
  readonly model?: string | undefined;
  readonly provider?: string | undefined;
}

/**
 * The first model of a provider has the colour that the provider has everywhere on the page; every other model has one that no model
 * before it has. After the eighth they repeat.
 */
export function modelColors(authors: Iterable<Authored>): ModelColors {
  const colors = new Map<string, string>();
  const providers = new Map<string, string | undefined>();
  for (const { model, provider } of authors)
    if (model !== undefined && !providers.has(model)) providers.set(model, provider);
  const own = new Set([...providers.values()].map((provider) => `--${providerColor(provider)}`));
  const free: string[] = [...OTHERS, ...PROVIDERS.filter((color) => !own.has(color))];
  const taken = new Set<string>();
  let next = 0;
  for (const [model, provider] of providers) {
    const wanted = `--${providerColor(provider)}`;
    const isFree = wanted !== '--provider' && !taken.has(wanted);
    const color = isFree ? wanted : free[next++ % free.length]!;
    taken.add(color);
    colors.set(model, color);
  }
  return colors;
}
