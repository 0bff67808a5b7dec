/** How a provider with an OpenAI-compatible API departs from OpenAI's own. */
export interface Dialect {
  /**
   * Further field names, as paths without indices: `reasoning`, `messages.reasoning_content`, `tools.cache_control`.
   * Further types are written behind a colon: `tools:openrouter:advisor`, `messages.content:document_url`.
   */
  readonly extra?: readonly string[];
  /** Ids of rules that this provider does not have. */
  readonly without?: readonly string[];
}

/** A field is known when it, or an object around it, is one of the extra names. */
export const isExtra = (dialect: Dialect, plain: string): boolean =>
  dialect.extra?.some((name) => plain === name || plain.startsWith(`${name}.`)) ?? false;

export const withDialect = <R extends { readonly id: string }>(rules: readonly R[], dialect: Dialect): readonly R[] =>
  rules.filter(({ id }) => !dialect.without?.includes(id));
