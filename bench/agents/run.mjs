// `npm run agents`: records coding agents in their newest releases, as their users run them, through the proxy, and checks that
// nothing is refused, that the recording equals what arrived, and that a session is one conversation. `--only codex` runs one;
// `--show` prints the texts of the conversation.
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { installedVersion, installFolder } from '../install.mjs';
import { compareBytes, readRecording, startRecording } from '../recorded.mjs';
import { cells } from '../table.mjs';
import { runAgent } from './agent.mjs';

/** @import { RecordedExchange } from '@skein/forest' */
/** @import { World } from '../recorded.mjs' */
/** @import { Agent } from './agent.mjs' */

const { values: given } = parseArgs({
  options: { only: { type: 'string', multiple: true }, show: { type: 'boolean', default: false } },
});
const folder = fileURLToPath(new URL('.', import.meta.url));
installFolder(folder);
const modules = readdirSync(folder).filter((name) => name.endsWith('.mjs') && !/^(agent|run)\.mjs$/.test(name));
const names = modules.map((name) => name.replace('.mjs', '')).filter((name) => given.only?.includes(name) ?? true);
/** @type {string[][]} */
const rows = [];
for (const name of names) {
  /** @type {{ agent: Agent }} */
  const { agent } = await import(`./${name}.mjs`);
  const version = installedVersion(folder, agent.package);
  console.error(`${agent.name} ${version}`);
  const world = await startRecording();
  const { problems, recording } = await judgeAgent(world, agent).finally(world.close);
  rows.push([`${agent.name} ${version}`, agent.transport, `${recording.length}`, problems.length === 0 ? 'yes' : 'NO']);
  for (const problem of problems) console.error(`  ${problem}`);
  if (problems.length > 0) process.exitCode = 1;
}
console.log(cells(['agent', 'speaks', 'requests', 'whole'], rows, 2));

/**
 * @param {World} world
 * @param {Agent} agent
 * @returns {Promise<{ problems: string[], recording: RecordedExchange[] }>}
 */
async function judgeAgent(world, agent) {
  world.emulator.script(agent.protocol, agent.replies);
  const problems = await runAgent(agent, `${world.url}/proxy`);
  for (const { method, path, verdict } of world.emulator.log) {
    if (verdict.refusal) problems.push(`${method} ${path} was refused: ${verdict.refusal.message}`);
    if ((method === 'WEBSOCKET') !== (agent.transport === 'websocket'))
      problems.push(`${method} ${path} did not come over ${agent.transport}`);
  }
  const recording = await readRecording(world);
  problems.push(...compareBytes(world, recording), ...(await judgeConversation(world, agent, recording)));
  return { problems, recording };
}

/**
 * @param {World} world
 * @param {Agent} agent
 * @param {readonly RecordedExchange[]} recording
 */
async function judgeConversation({ forest }, agent, recording) {
  const threads = [...new Set(recording.map(({ exchange }) => exchange.landing?.thread))];
  const [thread] = threads;
  if (threads.length !== 1 || thread === undefined) return [`it became ${threads.length} conversations instead of one`];
  const { head } = await forest.threads.get(thread);
  const path = await forest.path(head);
  const texts = path.map(({ message }) => message.text);
  if (given.show)
    for (const [index, text] of texts.entries()) console.error(`  ${path[index]?.message.role}: ${text.slice(0, 200)}`);
  let at = 0;
  for (const words of agent.says) {
    const found = texts.findIndex((text, index) => index >= at && text.includes(words));
    if (found === -1) return [`"${words}" is missing from the conversation, or in another place`];
    at = found + 1;
  }
  return [];
}
