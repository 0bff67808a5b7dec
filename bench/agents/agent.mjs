// What each coding agent is, one file per agent, and how one is run: with an empty home, in an empty folder, with nothing of the
// environment but PATH, HOME and what the agent's file names.
import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** @import { Emulator } from '@skein/emulator' */

/**
 * @typedef {Parameters<Emulator['script']>} Script
 * @typedef {object} Agent
 * @property {string} name
 * @property {string} package whose version is shown
 * @property {string} program under `node_modules`, run by Node
 * @property {Script[0]} protocol
 * @property {'websocket' | 'http'} transport over which every request must come
 * @property {(proxy: string) => Readonly<Record<string, string>>} env more variables; `proxy` is the address of the proxy
 * @property {(proxy: string) => Readonly<Record<string, string>>} [files] to be written into its home first, by their paths
 * @property {(proxy: string) => readonly (readonly string[])[]} runs the arguments of each run: the first prompt, then resumes
 * @property {Script[1]} replies that the emulator gives
 * @property {readonly string[]} says what the conversation says in the end, in this order: prompts, results, answers
 */

/** The file that the agents read with a tool of their own. */
export const NOTE = { name: 'note.txt', text: 'The password is swordfish.' };

const folder = fileURLToPath(new URL('.', import.meta.url));

/**
 * Runs an agent as often as its file says.
 * @param {Agent} agent
 * @param {string} proxy
 * @returns {Promise<string[]>} what went wrong
 */
export async function runAgent(agent, proxy) {
  // Not in the folder for temporary files: Codex does not trust programs that it finds there.
  const place = await mkdtemp(join(homedir(), '.skein-agent-'));
  const [home, work] = [join(place, 'home'), join(place, 'work')];
  try {
    const files = { ...agent.files?.(proxy) };
    for (const [path, text] of Object.entries(files)) {
      await mkdir(dirname(join(home, path)), { recursive: true });
      await writeFile(join(home, path), text);
    }
    for (const path of [home, work]) await mkdir(path, { recursive: true });
    await writeFile(join(work, NOTE.name), `${NOTE.text}\n`);
    const env = { PATH: process.env.PATH ?? '', HOME: home, ...agent.env(proxy) };
    const problems = [];
    for (const args of agent.runs(proxy)) {
      const { status, output } = await runProgram([`${folder}node_modules/${agent.program}`, ...args], env, work);
      if (status !== 0) problems.push(`it ended with ${status}:\n${output.slice(-2000)}`);
    }
    return problems;
  } finally {
    await rm(place, { recursive: true, force: true });
  }
}

/**
 * @param {readonly string[]} args
 * @param {Readonly<Record<string, string>>} env
 * @param {string} cwd
 * @returns {Promise<{ status: number | null, output: string }>}
 */
function runProgram(args, env, cwd) {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'], timeout: 120_000 });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text) => {
        output += text;
      });
    child.once('close', (status) => resolve({ status, output }));
  });
}
