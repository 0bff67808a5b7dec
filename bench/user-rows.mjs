// The rows "as a user calls it": what as-a-user.mjs measures, judged by the budgets.
import { compareUsage, measurePrograms } from './as-a-user.mjs';
import { cells } from './table.mjs';

/** @import { UserCase } from './as-a-user.mjs' */
/** @import { Verdict } from './budget.mjs' */

/**
 * @typedef {object} UserRow
 * @property {string} work
 * @property {string} who
 * @property {number} time CPU, in milliseconds
 * @property {number} ratio to the floor
 * @property {number} spread
 * @property {{ time: number, ratio: number }} memory peak, in bytes
 * @property {Verdict} [verdict] on Skein
 */

/**
 * @param {readonly UserCase[]} cases
 * @param {{ rounds: number, node?: string, judge: (group: string, ratio: number) => Verdict | undefined }} options
 * @returns {Promise<UserRow[]>}
 */
export async function measureUserCases(cases, { rounds, node, judge }) {
  /** @type {UserRow[]} */
  const rows = [];
  for (const { name: work, group, programs, rounds: atMost = rounds } of cases) {
    console.error(`measuring as a user: ${work}`);
    const usages = await measurePrograms(programs, { rounds: Math.min(rounds, atMost), ...(node && { node }) });
    for (const { name: who } of programs) {
      const result = compareUsage(usages.get('floor') ?? [], usages.get(who) ?? []);
      const verdict = who === 'skein' && group !== undefined ? judge(group, result.ratio) : undefined;
      rows.push({ work, who, ...result, ...(verdict && { verdict }) });
    }
  }
  return rows;
}

/** @param {readonly UserRow[]} rows */
export function userTable(rows) {
  const lines = rows.map(({ work, who, time, ratio, spread, memory, verdict }) => [
    work,
    who,
    time.toFixed(time < 10 ? 2 : 1),
    ratio.toFixed(2),
    `±${(spread * 100).toFixed(0)} %`,
    (memory.time / 1e6).toFixed(0),
    memory.ratio.toFixed(2),
    verdict?.budget.toFixed(2) ?? '',
    verdict === undefined ? '' : verdict.ok ? 'yes' : 'NO',
  ]);
  const head = ['as a user calls it', '', 'CPU ms', 'ratio', 'spread', 'peak MB', 'ratio', 'budget', 'ok'];
  return cells(head, lines, 2);
}
