/** Time limits in milliseconds; `Infinity` for none. */
export interface Timeouts {
  /** From sending a request to the head of its response. Unstreamed replies have none before they are complete. */
  readonly connectMs: number;
  /** Between two pieces of a response. */
  readonly idleMs: number;
  /** For everything: all attempts, the waits between them, and reading to the end. */
  readonly totalMs: number;
}

/** As long as Node's own `fetch` waits; half an hour in all. */
export const DEFAULT_TIMEOUTS: Timeouts = { connectMs: 300_000, idleMs: 300_000, totalMs: 1_800_000 };

/** Why an exchange was ended from our side. */
export type Stopped =
  | { readonly by: 'caller'; readonly reason: unknown }
  | { readonly by: keyof Timeouts; readonly ms: number };
