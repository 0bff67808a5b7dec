// The budgets of budgets.json, and by how much a row keeps or exceeds its own.
import { readFileSync } from 'node:fs';

/** @type {{ noise: Record<string, number>, budgets: Record<string, number> }} */
const { noise, budgets } = JSON.parse(readFileSync(new URL('budgets.json', import.meta.url), 'utf8'));

/**
 * @typedef {object} Verdict
 * @property {number} budget
 * @property {number} over the share by which the ratio exceeds the budget; below zero where it keeps it
 * @property {number} noise by how much it may
 * @property {boolean} ok
 */

/**
 * @param {string} group
 * @param {number} ratio
 * @returns {Verdict | undefined} nothing where the group has no budget
 */
export function judge(group, ratio) {
  const budget = budgets[group];
  if (budget === undefined) return undefined;
  const allowed = noise[group] ?? noise.default ?? 0;
  const over = ratio / budget - 1;
  return { budget, over, noise: allowed, ok: over <= allowed };
}

/**
 * A line for each row that has a budget, the worst first, and how many are kept.
 * @param {readonly { name: string, ratio: number, verdict?: Verdict | undefined }[]} rows
 */
export function budgetReport(rows) {
  const judged = rows.flatMap(({ name, ratio, verdict }) => (verdict ? [{ name, ratio, verdict }] : []));
  const lines = judged
    .toSorted((a, b) => b.verdict.over - a.verdict.over)
    .map(({ name, ratio, verdict: { budget, over, noise: allowed, ok } }) => {
      const distance = `${Math.abs(over * 100).toFixed(0)} % ${over > 0 ? 'above' : 'below'} the budget of ${budget}`;
      const excuse = over > 0 && ok ? `, within the noise of ${(allowed * 100).toFixed(0)} %` : '';
      return `${ok ? 'ok    ' : 'FAILED'} ${name}: ${ratio.toFixed(2)}, ${distance}${excuse}`;
    });
  const kept = judged.filter(({ verdict }) => verdict.over <= 0).length;
  const noisy = judged.filter(({ verdict }) => verdict.over > 0 && verdict.ok).length;
  const failed = judged.length - kept - noisy;
  return [
    ...lines,
    '',
    `${kept} of ${judged.length} rows keep their budget, ${noisy} exceed it by no more than the noise that bench/budgets.json states, ${failed} fail.`,
  ].join('\n');
}
