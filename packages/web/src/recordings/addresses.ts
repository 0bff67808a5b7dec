import type { Provider } from '../api/types.ts';

export interface BaseAddress {
  readonly provider: string;
  readonly title: string;
  /** The variable that the SDKs of this provider read, where they do. */
  readonly variable?: string;
  readonly url: string;
}

/** The variables that SDKs read, and what they want behind the address. */
const KNOWN: Readonly<Record<string, { readonly title: string; readonly variable: string; readonly path: string }>> = {
  openai: { title: 'OpenAI', variable: 'OPENAI_BASE_URL', path: '/v1' },
  anthropic: { title: 'Anthropic', variable: 'ANTHROPIC_BASE_URL', path: '' },
  google: { title: 'Google', variable: 'GOOGLE_GEMINI_BASE_URL', path: '' },
};

/** The addresses to give to clients, those of the three large SDKs first. */
export function baseAddresses(providers: readonly Provider[]): readonly BaseAddress[] {
  const all = providers.map(({ id, proxy }): BaseAddress => {
    const known = KNOWN[id];
    if (!known) return { provider: id, title: id, url: proxy };
    return { provider: id, title: known.title, variable: known.variable, url: `${proxy}${known.path}` };
  });
  return [...all.filter(({ variable }) => variable), ...all.filter(({ variable }) => !variable)];
}
