import type { GatewayToken } from '@skein/agents';
import type { CostLookup, Usage } from '@skein/core';
import type { Route, Target } from './client/client-call.ts';
import { ClientRefusal } from './client/client-error.ts';

/** What was spent with a token since a time. */
export interface TokenSpending {
  /** US dollars by list price. */
  readonly cost: number;
  /** When its requests began. */
  readonly starts: readonly number[];
}

/** The budgets of the tokens. */
export interface Budgets {
  /**
   * Counts a request. Throws a `ClientRefusal` if the budget of the token is used up, or cannot be counted: costs are counted
   * by what is recorded.
   */
  begin(token: string | undefined, target: Target, options?: { readonly isRecorded: boolean }): Promise<void>;
  /** The route without fallbacks whose cost the budget of the token could not count. */
  limitFallbacks(token: string | undefined, route: Route): Route;
  /** Adds what a reply cost. Returns the cost, where a price is known. */
  add(token: string | undefined, target: Target, usage: Usage | undefined): number | undefined;
}

interface BudgetSources {
  readonly tokens: readonly GatewayToken[];
  /** What was recorded since a time, by the names of the tokens: budgets outlive the process. */
  readonly readSpending: (since: number) => Promise<ReadonlyMap<string, TokenSpending>>;
  /** The price list, where there is one. */
  readonly costOf: CostLookup | undefined;
  readonly now?: () => number;
  /** Receives what went wrong while the recordings were read again. */
  readonly onError: (error: unknown) => void;
}

const MINUTE = 60_000;
const DAY = 86_400_000;
/** After this time, what other servers on the same store have spent is read again. */
const REFRESH_MS = 15_000;

/** Tokens of a usual request, to see whether a model has a price at all. */
const PROBE: Usage = {
  input: 1,
  cacheRead: 0,
  cacheWrite5m: 0,
  cacheWrite1h: 0,
  output: 1,
  reasoning: 0,
  native: '{}',
};

interface Ledger {
  cost: number;
  starts: number[];
}

/**
 * Counts what the tokens spend. What was spent today is read from the recordings: first before the first request, then now and
 * then beside the requests. Between two readings, the costs of this process are added as they arise.
 */
export function createBudgets({ tokens, readSpending, costOf, now = Date.now, onError }: BudgetSources): Budgets {
  const limits = new Map(tokens.map(({ name, budget }) => [name, budget]));
  const ledgers = new Map<string, Ledger>();
  let day = Number.NaN;
  let readAt = Number.NEGATIVE_INFINITY;
  let reading: Promise<void> | undefined;

  const read = async (): Promise<void> => {
    const today = startOfDay(now());
    const isFirst = today !== day;
    readAt = now();
    const spent = await readSpending(Math.min(today, now() - MINUTE));
    for (const { name } of tokens) {
      const { cost = 0, starts = [] } = spent.get(name) ?? {};
      const before = ledgers.get(name);
      // This process counts its requests when they begin and its replies when they end, before they are recorded.
      ledgers.set(name, {
        cost: isFirst ? cost : Math.max(cost, before?.cost ?? 0),
        starts: before?.starts ?? [...starts],
      });
    }
    day = today;
  };
  const refresh = async (): Promise<void> => {
    const isStale = now() - readAt > REFRESH_MS;
    const isNewDay = startOfDay(now()) !== day;
    if ((isStale || isNewDay) && !reading) {
      reading = read().finally(() => {
        reading = undefined;
      });
      if (!isNewDay) reading.catch(onError);
    }
    if (isNewDay) await reading;
  };
  const priceOf = ({ provider, model }: Target, usage: Usage): number | undefined =>
    provider.connection?.needsKey === false ? 0 : costOf?.(usage, provider.id, model, new Date(now()))?.total;

  return {
    async begin(token, target, { isRecorded } = { isRecorded: true }) {
      const limit = token === undefined ? undefined : limits.get(token);
      if (token === undefined || !limit) return;
      const { costPerDay, requestsPerMinute } = limit;
      if (costPerDay === undefined && requestsPerMinute === undefined) return;
      await refresh();
      const ledger = ledgers.get(token)!;
      const at = now();
      if (costPerDay !== undefined) {
        if (!isRecorded)
          throw new ClientRefusal(
            `The token "${token}" has a budget in dollars, which is counted by what is recorded. Leave out x-skein-mode and x-skein-skip.`,
            { status: 403 },
          );
        if (priceOf(target, PROBE) === undefined)
          throw new ClientRefusal(
            `The token "${token}" has a budget in dollars, and ${target.provider.id}/${target.model} has no listed price. Ask for another model.`,
            { status: 403 },
          );
        if (ledger.cost >= costPerDay)
          throw new ClientRefusal(`The token "${token}" has spent its budget of $${costPerDay} for today (UTC).`, {
            status: 429,
            retryAfterMs: startOfDay(at) + DAY - at,
          });
      }
      ledger.starts = ledger.starts.filter((start) => start > at - MINUTE);
      if (requestsPerMinute !== undefined && ledger.starts.length >= requestsPerMinute)
        throw new ClientRefusal(`The token "${token}" may send ${requestsPerMinute} requests per minute.`, {
          status: 429,
          retryAfterMs: ledger.starts.at(-requestsPerMinute)! + MINUTE - at,
        });
      ledger.starts.push(at);
    },
    limitFallbacks(token, route) {
      const isLimited = token !== undefined && limits.get(token)?.costPerDay !== undefined;
      if (!isLimited || route.kind !== 'targets') return route;
      const targets = route.targets.filter((target, at) => at === 0 || priceOf(target, PROBE) !== undefined);
      return { ...route, targets };
    },
    add(token, target, usage) {
      const cost = usage && priceOf(target, usage);
      const ledger = token === undefined ? undefined : ledgers.get(token);
      if (ledger && cost !== undefined) ledger.cost += cost;
      return cost;
    },
  };
}

function startOfDay(time: number): number {
  return Math.floor(time / DAY) * DAY;
}
