// Makes a fresh clone ready: checks Node, installs the locked dependencies, builds the packages.
// It runs before anything is installed, so it uses only Node's own modules.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('..', import.meta.url));

/**
 * Runs a program in the repository with its output on screen; true when it succeeded.
 * @param {string} program
 * @param {readonly string[]} args
 * @param {string} [folder] under the repository's root
 */
export function run(program, args, folder = '') {
  const { status, error } = spawnSync(program, args, { cwd: root + folder, stdio: 'inherit' });
  if (error) console.error(`${program}: ${error.message}`);
  return status === 0;
}

/**
 * Runs the program of an installed package: the first one that it has.
 * @param {string} name
 * @param {readonly string[]} args
 * @param {string} [folder]
 */
export function tool(name, args, folder) {
  return run(process.execPath, [findProgram(name), ...args], folder);
}

/**
 * Runs a program of Node beside others. Its output is passed on immediately.
 * @param {string} program
 * @param {readonly string[]} args
 * @param {{ onOutput: (text: string) => void }} options
 * @returns {Promise<boolean>} whether it succeeded
 */
export function runBeside(program, args, { onOutput }) {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [program, ...args], {
      cwd: root,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', onOutput);
    child.once('error', (error) => onOutput(`${program}: ${error.message}\n`));
    child.once('close', (status) => resolve(status === 0));
  });
}

/** The path of an installed package's program. @param {string} name */
export function findProgram(name) {
  const { bin } = readJson(`node_modules/${name}/package.json`);
  return `${root}node_modules/${name}/${typeof bin === 'string' ? bin : Object.values(bin)[0]}`;
}

/** Checks Node, and installs the dependencies unless the locked ones are installed; true when everything is ready. */
export function setUp() {
  const wanted = readJson('package.json').engines.node.replace('>=', '');
  if (isOlder(process.versions.node, wanted)) {
    console.error(`Skein needs Node ${wanted} or later; this is ${process.version}.`);
    return false;
  }
  if (installed()) return true;
  console.log('Installing the dependencies (npm ci)');
  return npm(['ci']);
}

export const buildScript = `${root}scripts/build.mjs`;

/** Builds every package into its dist folder; what is packed has declarations for TypeScript, too. @param {{ types?: boolean }} [options] */
export function build({ types = false } = {}) {
  return run(process.execPath, [buildScript, ...(types ? ['--types'] : [])]);
}

/** Runs npm in the repository; true when it succeeded. @param {readonly string[]} args */
export function npm(args) {
  // A command like `npm pack -w packages/core` hands its flags to the scripts that it runs: they are not meant for this one.
  for (const flag of ['workspace', 'workspaces', 'json', 'dry_run', 'pack_destination', 'ignore_scripts'])
    delete process.env[`npm_config_${flag}`];
  const script = process.env.npm_execpath;
  return script ? run(process.execPath, [script, ...args]) : run('npm', args);
}

// npm leaves a note of what it installed; it is compared with the lock file, so that an interrupted install, a
// missing folder and a changed lock file are all noticed, and a completed `npm install` is not repeated.
function installed() {
  if (!existsSync(`${root}node_modules/.package-lock.json`)) return false;
  const present = readJson('node_modules/.package-lock.json').packages;
  return Object.entries(readJson('package-lock.json').packages).every(([path, locked]) => {
    if (path === '') return true;
    const found = present[path];
    if (!found) return locked.optional === true || locked.devOptional === true;
    return found.version === locked.version && found.integrity === locked.integrity;
  });
}

/** @param {string} path */
function readJson(path) {
  return JSON.parse(readFileSync(`${root}${path}`, 'utf8'));
}

/**
 * @param {string} version
 * @param {string} minimum
 */
function isOlder(version, minimum) {
  const have = version.split('.').map(Number);
  const need = minimum.split('.').map(Number);
  const at = need.findIndex((part, index) => part !== have[index]);
  return at !== -1 && Number(have[at]) < Number(need[at]);
}
