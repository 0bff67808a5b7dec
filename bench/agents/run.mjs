// `npm run agents`: coding agents in their newest releases, as their users run them without a terminal, through the gateway, the
// proxy, the import of sessions and the handoff, before the strict emulator. `--only codex` runs one, `--step subagent` one column
// (`alone` the first four, `handoff` the last two); `--show` prints the conversations.
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { startEmulator } from '@skein/emulator';
import { installedVersion, installFolder } from '../install.mjs';
import { cells } from '../table.mjs';
import { Model } from './agent.mjs';
import { continueInCodex, neverLoseASession } from './guides.mjs';
import { createPlace } from './place.mjs';
import { handOver, importLogs, runCompaction, runSession, runSubagent } from './steps.mjs';

/** @import { Agent } from './agent.mjs' */
/** @import { Place } from './place.mjs' */

const { values: given } = parseArgs({
  options: {
    only: { type: 'string', multiple: true },
    step: { type: 'string', multiple: true },
    show: { type: 'boolean', default: false },
  },
});
const folder = fileURLToPath(new URL('.', import.meta.url));
const COLUMNS = /** @type {const} */ ([
  'route',
  'record',
  'import',
  'meet',
  'subagent',
  'compaction',
  'guides',
  'handoff to it',
  'resume',
]);

installFolder(folder);
const agents = await readAgents();
const model = new Model();
const emulator = await startEmulator({
  brain: model.answer,
  seed: 'agents',
  settings: { enforcePrefix: true },
  sleep: async () => {},
  logLimit: 100_000,
});
const world = { emulator, model, show: given.show };
/** @type {Map<Agent, Place>} */
const recorded = new Map();
/** @type {Map<Agent, Map<string, string[][]>>} */
const results = new Map(agents.map((agent) => [agent, new Map()]));
try {
  if (wants('alone') || wants('handoff')) for (const agent of agents) await runAlone(agent);
  for (const agent of agents) {
    if (agent.delegate && wants('subagent')) await runApart(agent, 'subagent', runSubagent);
    if (agent.compact && wants('compaction')) await runApart(agent, 'compaction', runCompaction);
  }
  if (wants('guides')) await runGuides();
  for (const agent of agents.filter(({ resume }) => resume && wants('handoff')))
    for (const [source, place] of recorded) {
      if (source === agent) continue;
      const { handed, resumed } = await handOver(world, { agent: source, place }, agent);
      tell(agent, 'handoff to it', handed, `from ${source.name}`);
      tell(agent, 'resume', resumed, `from ${source.name}`);
    }
} finally {
  for (const place of recorded.values()) await place.remove();
  await emulator.close();
}
const rows = [...results].map(([agent, of]) => [
  `${agent.name} ${installedVersion(folder, agent.package)}`,
  ...COLUMNS.map((column) => count(of.get(column) ?? [])),
]);
console.log(cells(['agent', ...COLUMNS], rows, 10));

async function runGuides() {
  const claude = agents.find(({ id }) => id === 'claude-code');
  const codex = agents.find(({ id }) => id === 'codex');
  if (claude) tell(claude, 'guides', await neverLoseASession(world, claude), 'never lose a session');
  if (claude && codex) tell(claude, 'guides', await continueInCodex(world, claude, codex), 'continue in Codex');
}

/** @param {string} step */
function wants(step) {
  return given.step?.includes(step) ?? true;
}

/**
 * A step in a home of its own.
 * @param {Agent} agent
 * @param {typeof COLUMNS[number]} column
 * @param {typeof runSubagent} step
 */
async function runApart(agent, column, step) {
  const place = await createPlace(emulator, agent);
  try {
    tell(agent, column, await step(world, agent, place));
  } finally {
    await place.remove();
  }
}

/** Routes to each foreign model, then recorded, each in a home of its own. @param {Agent} agent */
async function runAlone(agent) {
  for (const foreign of [...agent.foreign, undefined]) {
    const place = await createPlace(emulator, agent);
    if (foreign === undefined) recorded.set(agent, place);
    try {
      tell(agent, foreign ? 'route' : 'record', await runSession(world, agent, place, foreign), foreign);
      const { imported, met } = await importLogs(place);
      tell(agent, 'import', imported, foreign);
      tell(agent, 'meet', met, foreign);
    } finally {
      if (foreign !== undefined) await place.remove();
    }
  }
}

/**
 * @param {Agent} agent
 * @param {typeof COLUMNS[number]} column
 * @param {string[]} problems
 * @param {string} [with_]
 */
function tell(agent, column, problems, with_ = 'its own vendor') {
  const of = results.get(agent);
  of?.set(column, [...(of.get(column) ?? []), problems]);
  console.error(`${agent.name}, ${column}, ${with_}: ${problems.length === 0 ? 'yes' : 'NO'}`);
  for (const problem of problems) console.error(`  ${problem}`);
  if (problems.length > 0) process.exitCode = 1;
}

/** @param {readonly string[][]} outcomes */
function count(outcomes) {
  return outcomes.length === 0 ? '–' : `${outcomes.filter(({ length }) => length === 0).length} of ${outcomes.length}`;
}

/** @returns {Promise<Agent[]>} */
async function readAgents() {
  const others = ['agent.mjs', 'guides.mjs', 'place.mjs', 'run.mjs', 'steps.mjs'];
  const names = readdirSync(folder).filter((name) => name.endsWith('.mjs') && !others.includes(name));
  const chosen = names.filter((name) => given.only?.includes(name.replace('.mjs', '')) ?? true);
  /** @type {Agent[]} */
  const read = [];
  for (const name of chosen) {
    const { agent } = await import(`./${name}`);
    if (agent.install) install(join(folder, 'node_modules', agent.package, agent.install));
    read.push(agent);
  }
  return read;
}

/** @param {string} script */
function install(script) {
  const env = { PATH: process.env.PATH, HOME: '/nonexistent' };
  const { status } = spawnSync(process.execPath, [script], { cwd: dirname(script), env, stdio: 'inherit' });
  if (status !== 0) throw new Error(`${script} failed: see above.`);
}
