// One half of a round trip, in a separate process: only the saved text gets from the first to the second.
import { once } from 'node:events';
import { loadAdapter } from './adapter.mjs';

/** @import { Turn } from './adapter.mjs' */

/**
 * @typedef {{ turn: Turn, saved?: string, calls: readonly { id: string, name: string }[] }} Job
 * @typedef {{ saved?: string, error?: string }} Outcome
 */

const SYSTEM = 'Be brief.';
const QUESTION = 'What about Zürich?';

const [name = ''] = process.argv.slice(2);
/** @type {readonly Job[]} */
const jobs = (await once(process, 'message'))[0];
const adapter = await loadAdapter(name);
/** @type {Outcome[]} */
const outcomes = [];
for (const job of jobs) outcomes.push(await outcomeOf(job));
process.send?.(outcomes, () => process.exit());

/**
 * @param {Job} job
 * @returns {Promise<Outcome>}
 */
async function outcomeOf({ turn, saved, calls }) {
  try {
    if (saved === undefined) return { saved: await adapter.first(turn, SYSTEM, QUESTION) };
    const results = calls.map(({ id, name: tool }) => ({ id, name: tool, text: `The answer of ${tool}` }));
    await adapter.next(turn, saved, results.length > 0 ? { results } : { say: 'Go on.', results });
    return {};
  } catch (error) {
    return { error: error instanceof Error ? `${error.name}: ${error.message}` : String(error) };
  }
}
