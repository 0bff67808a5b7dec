// Where an agent runs: an empty home, a folder with one file to work on, an own forest, and nothing of the environment but PATH,
// HOME, dummy keys and the addresses of the emulator.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openForest } from '@skein/forest';
import { CLIENT_KEY } from '../recorded.mjs';

/** @import { Emulator } from '@skein/emulator' */
/** @import { Forest } from '@skein/forest' */
/** @import { Agent } from './agent.mjs' */

/**
 * @typedef {object} Place
 * @property {string} home
 * @property {string} work
 * @property {string} store
 * @property {(args: readonly string[], store?: string) => Promise<Ended>} skein runs the built CLI on a store, by default its own
 * @property {(args: readonly string[]) => Promise<Ended>} run runs a program of `node_modules/.bin` there
 * @property {() => Promise<Forest>} forest opens the store
 * @property {(files: Readonly<Record<string, string>>, gone?: readonly string[]) => Promise<void>} write writes files of its home,
 *   after removing others
 * @property {() => Promise<void>} remove
 *
 * @typedef {object} Ended
 * @property {number | null} status
 * @property {string} out
 * @property {string} err
 */

/** The file that the agents read and edit with tools of their own. */
const [FILE, BEFORE, AFTER] = ['note.txt', 'The password is swordfish.', 'The password is halibut.'];
export const NOTE = {
  name: FILE,
  before: BEFORE,
  after: AFTER,
  /** The change, as OpenAI's agents write it. */
  patch: `*** Begin Patch\n*** Update File: ${FILE}\n@@\n-${BEFORE}\n+${AFTER}\n*** End Patch`,
};

const PROGRAMS = fileURLToPath(new URL('node_modules/.bin', import.meta.url));
const SKEIN = fileURLToPath(new URL('../../packages/cli/dist/skein.js', import.meta.url));

/**
 * @param {Emulator} emulator
 * @param {Agent} agent
 * @returns {Promise<Place>}
 */
export async function createPlace(emulator, agent) {
  // Not in the folder for temporary files: Codex does not trust programs that it finds there.
  const top = await mkdtemp(join(homedir(), '.skein-agent-'));
  const [home, work, store] = [join(top, 'home'), join(top, 'work'), join(top, 'store')];
  for (const folder of [home, work]) await mkdir(folder, { recursive: true });
  const write = async (
    /** @type {Readonly<Record<string, string>>} */ files,
    /** @type {readonly string[]} */ gone = [],
  ) => {
    for (const path of gone) await rm(join(home, path));
    for (const [path, text] of Object.entries(files)) {
      await mkdir(dirname(join(home, path)), { recursive: true });
      await writeFile(join(home, path), text);
    }
  };
  await write(agent.files ?? {});
  await writeFile(join(work, NOTE.name), `${NOTE.before}\n`);
  const { OPENAI_BASE_URL, ANTHROPIC_BASE_URL, GOOGLE_GEMINI_BASE_URL } = emulator.env();
  const env = {
    ...{ PATH: [PROGRAMS, dirname(process.execPath), process.env.PATH].join(delimiter), HOME: home },
    ...{ OPENAI_API_KEY: CLIENT_KEY, ANTHROPIC_API_KEY: CLIENT_KEY, GEMINI_API_KEY: CLIENT_KEY },
    ...{ OPENAI_BASE_URL, ANTHROPIC_BASE_URL, GOOGLE_GEMINI_BASE_URL },
    ...agent.env,
  };
  return {
    home,
    work,
    store,
    skein: ([command = '', ...args], forest = store) =>
      start(process.execPath, [SKEIN, command, '--store', forest, ...args], env, work),
    run: ([program = '', ...args]) => start(join(PROGRAMS, program), args, env, work),
    forest: () => openForest(store),
    write,
    remove: () => rm(top, { recursive: true, force: true }),
  };
}

/**
 * The hash of each file below a folder, by its path.
 * @param {string} folder
 * @returns {Promise<Map<string, string>>}
 */
export async function hashFiles(folder) {
  const hashes = new Map();
  for (const entry of await readdir(folder, { withFileTypes: true, recursive: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    hashes.set(
      path,
      createHash('sha256')
        .update(await readFile(path))
        .digest('hex'),
    );
  }
  return hashes;
}

/**
 * @param {string} program
 * @param {readonly string[]} args
 * @param {Readonly<Record<string, string>>} env
 * @param {string} cwd
 * @returns {Promise<Ended>}
 */
function start(program, args, env, cwd) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'], timeout: 600_000 });
    const said = { out: '', err: '' };
    child.stdout.setEncoding('utf8').on('data', (text) => {
      said.out += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text) => {
      said.err += text;
    });
    child.once('error', reject);
    child.once('close', (status) => resolve({ status, ...said }));
  });
}
