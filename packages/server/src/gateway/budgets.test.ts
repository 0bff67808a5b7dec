import { provider, type Usage } from '@skein/core';
import { costOf } from '@skein/core/prices';
import { expect, test } from 'vitest';
import { createBudgets, type TokenSpending } from './budgets.ts';

const OPUS = { provider: provider('anthropic'), model: 'claude-sonnet-4-5' };
const usage = (output: number): Usage => ({
  ...{ input: 0, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0, output, reasoning: 0 },
  native: '{}',
});
const TOKENS = [
  { name: 'ci', variable: 'A', budget: { costPerDay: 0.03 } },
  { name: 'bot', variable: 'B', budget: { requestsPerMinute: 2 } },
  { name: 'free', variable: 'C', budget: {} },
];
const NOON = Date.UTC(2026, 10, 17, 12);

function start(recorded: Record<string, TokenSpending> = {}, more: object = {}) {
  let time = NOON;
  const reads: number[] = [];
  const budgets = createBudgets({
    tokens: TOKENS,
    readSpending: async (since) => {
      reads.push(since);
      return new Map(Object.entries(recorded));
    },
    costOf,
    now: () => time,
    onError: (error) => {
      throw error;
    },
    ...more,
  });
  const pass = (ms: number) => {
    time += ms;
  };
  return { budgets, reads, pass, recorded };
}

test('a budget in dollars ends at its limit, and begins anew at midnight UTC', async () => {
  const { budgets, pass, recorded } = start();
  await budgets.begin('ci', OPUS);
  // $15 per million tokens.
  expect(budgets.add('ci', OPUS, usage(1000))).toBeCloseTo(0.015);
  await budgets.begin('ci', OPUS);
  budgets.add('ci', OPUS, usage(1000));
  await expect(budgets.begin('ci', OPUS)).rejects.toMatchObject({
    status: 429,
    retryAfterMs: 12 * 3_600_000,
    message: 'The token "ci" has spent its budget of $0.03 for today (UTC).',
  });
  await budgets.begin('free', OPUS);
  await budgets.begin(undefined, OPUS);
  recorded.ci = { cost: 0, starts: [] };
  pass(12 * 3_600_000);
  await budgets.begin('ci', OPUS);
});

test('a restart does not give the budget back: what was spent today is read from the recordings', async () => {
  const { budgets, reads } = start({ ci: { cost: 0.02, starts: [] } });
  await budgets.begin('ci', OPUS);
  expect(reads).toEqual([Date.UTC(2026, 10, 17)]);
  budgets.add('ci', OPUS, usage(1000));
  await expect(budgets.begin('ci', OPUS)).rejects.toMatchObject({ status: 429 });
});

test('what another server spends is seen after a while', async () => {
  const { budgets, pass, recorded } = start();
  await budgets.begin('ci', OPUS);
  recorded.ci = { cost: 9, starts: [] };
  await budgets.begin('ci', OPUS);
  pass(20_000);
  // The first one starts the reading, and does not wait for it.
  const status = () =>
    budgets.begin('ci', OPUS).then(
      () => 200,
      (error) => error.status,
    );
  await expect.poll(status).toBe(429);
});

test('requests per minute: the client hears how long to wait, and requests before a restart count', async () => {
  const { budgets, pass } = start({ bot: { cost: 0, starts: [NOON - 70_000, NOON - 50_000] } });
  await budgets.begin('bot', OPUS);
  await expect(budgets.begin('bot', OPUS)).rejects.toMatchObject({ status: 429, retryAfterMs: 10_000 });
  pass(10_001);
  await budgets.begin('bot', OPUS);
  await expect(budgets.begin('bot', OPUS)).rejects.toMatchObject({ retryAfterMs: 49_999 });
});

test('a model without a price is refused to whoever has a budget in dollars, unless it is free', async () => {
  const { budgets } = start();
  const unlisted = { provider: provider('anthropic'), model: 'claude-of-the-future' };
  await expect(budgets.begin('ci', unlisted)).rejects.toMatchObject({ status: 403 });
  await budgets.begin('ci', { provider: provider('ollama'), model: 'llama4' });
  await budgets.begin('bot', unlisted);
  await expect(start({}, { costOf: undefined }).budgets.begin('ci', OPUS)).rejects.toMatchObject({ status: 403 });
});

test('a token with a budget in dollars gets no answer from a fallback without a price', () => {
  const { budgets } = start();
  const unpriced = { provider: provider('openai'), model: 'nobody-knows' };
  const free = { provider: provider('ollama'), model: 'llama' };
  const route = { kind: 'targets', targets: [OPUS, unpriced, free], by: 'name', label: 'anthropic/*' } as const;
  expect(budgets.limitFallbacks('ci', route)).toEqual({ ...route, targets: [OPUS, free] });
  expect(budgets.limitFallbacks('bot', route)).toEqual(route);
  expect(budgets.limitFallbacks(undefined, route)).toEqual(route);
});
