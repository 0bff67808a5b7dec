// Three machines on loopback, each with etcd, Patroni and PostgreSQL, and HAProxy in front of them: the usual way to run a
// PostgreSQL that survives the death of its primary. The programs are Debian's: patroni, etcd-server, postgresql-15, haproxy.
import { spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const PROGRAMS = '/usr/lib/postgresql/15/bin';
const PACKAGES = ['patroni', 'etcd-server', 'python3-etcd', 'postgresql-15', 'haproxy'];
const PASSWORD = 'only-for-tests';
const NAMES = ['one', 'two', 'three'];

/**
 * @typedef {object} Machine
 * @property {string} name
 * @property {string} folder
 * @property {{ etcd: number, etcdPeer: number, patroni: number, postgres: number }} ports
 * @property {Map<string, import('node:child_process').ChildProcess>} programs
 */

/**
 * @typedef {object} Cluster
 * @property {string} url where HAProxy reaches the primary
 * @property {string} log the folder with the output of every program
 * @property {() => Promise<Machine>} primary
 * @property {(machine: Machine, how: 'database' | 'machine') => void} kill
 * @property {(machine: Machine) => Promise<void>} heal starts what is dead on it, and waits until all machines work and another primary may take over
 * @property {() => Promise<void>} writes resolves when a write through HAProxy is committed
 * @property {(sql: string) => string[][]} query asks the primary with `psql`, which shares no code with Skein
 * @property {() => Promise<void>} remove
 */

/** What is missing is installed on Debian as root; otherwise this says what to install. */
export function ensurePrograms() {
  const isThere = () =>
    ['/usr/bin/patroni', '/usr/bin/etcd', '/usr/sbin/haproxy', `${PROGRAMS}/postgres`].every((path) =>
      existsSync(path),
    );
  if (isThere()) return;
  if (process.getuid?.() === 0) {
    const options = {
      stdio: /** @type {const} */ ('inherit'),
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    };
    spawnSync('apt-get', ['update', '-qq'], options);
    spawnSync('apt-get', ['install', '-y', '-qq', '--no-install-recommends', ...PACKAGES], options);
  }
  if (!isThere()) throw new Error(`Install ${PACKAGES.join(', ')} first (Debian: apt-get install, as root).`);
}

/** @returns {Promise<Cluster>} */
export async function startCluster() {
  const folder = mkdtempSync(join(tmpdir(), 'skein-cluster-'));
  chmodSync(folder, 0o755);
  const account = findAccount();
  const log = join(folder, 'log');
  mkdirSync(log);
  /** @type {Machine[]} */
  const machines = [];
  for (const name of NAMES) machines.push(await describeMachine(name, folder, account));
  const port = await freePort();

  /**
   * @param {string} name
   * @param {string} program
   * @param {readonly string[]} args
   * @param {object} [more]
   */
  const start = (name, program, args, more = {}) => {
    const output = openSync(join(log, `${name}.log`), 'a');
    return spawn(program, args, {
      cwd: folder,
      stdio: ['ignore', output, output],
      env: { PATH: `${PROGRAMS}:/usr/sbin:/usr/bin:/bin`, LANG: 'C.UTF-8' },
      ...more,
    });
  };
  /** @param {Machine} machine */
  const startMissing = (machine) => {
    const { name, programs } = machine;
    const isDead = (/** @type {string} */ program) =>
      (programs.get(program)?.exitCode ?? programs.get(program)?.signalCode ?? (programs.has(program) ? null : 0)) !==
      null;
    if (isDead('etcd'))
      programs.set('etcd', start(`etcd-${name}`, '/usr/bin/etcd', etcdArguments(machine, machines), account));
    if (isDead('patroni'))
      programs.set(
        'patroni',
        start(`patroni-${name}`, '/usr/bin/patroni', [join(machine.folder, 'patroni.yml')], account),
      );
  };
  for (const machine of machines) {
    writeFileSync(
      join(machine.folder, 'patroni.yml'),
      JSON.stringify(patroniSettings(machine, machines), undefined, 2),
    );
    startMissing(machine);
  }
  writeFileSync(join(folder, 'haproxy.cfg'), haproxySettings(port, machines));
  const haproxy = start('haproxy', '/usr/sbin/haproxy', ['-db', '-f', join(folder, 'haproxy.cfg')]);

  const primary = async () => {
    for (;;) {
      for (const machine of machines) if ((await roleStatus(machine, 'primary')) === 200) return machine;
      await pause(100);
    }
  };
  /** @param {string} sql */
  const query = (sql) => {
    const url = `postgres://postgres:${PASSWORD}@127.0.0.1:${port}/postgres`;
    const { status, stdout, stderr } = spawnSync(`${PROGRAMS}/psql`, ['-X', '-A', '-t', '-F', '\t', '-c', sql, url], {
      encoding: 'utf8',
      maxBuffer: 2 ** 28,
    });
    if (status !== 0) throw new Error(`psql: ${stderr}`);
    return stdout
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => line.split('\t'));
  };
  /** Without a synchronous standby nobody may replace the primary: Patroni rather waits than loses a commit. */
  const isSettled = async () => {
    for (const machine of machines) await isHealthy(machine);
    for (;;) {
      for (const machine of machines) if ((await roleStatus(machine, 'sync')) === 200) return;
      await pause(200);
    }
  };
  await isSettled();

  return {
    url: `postgres://postgres:${PASSWORD}@127.0.0.1:${port}/postgres`,
    log,
    primary,
    query,
    writes: async () => {
      for (;;) {
        try {
          query('create table if not exists probe (at timestamptz); insert into probe values (now())');
          return;
        } catch {
          await pause(100);
        }
      }
    },
    kill: (machine, how) => {
      if (how === 'machine') for (const program of machine.programs.values()) program.kill('SIGKILL');
      killPostgres(machine);
    },
    heal: async (machine) => {
      startMissing(machine);
      await isSettled();
    },
    remove: async () => {
      haproxy.kill('SIGKILL');
      for (const machine of machines) {
        for (const program of machine.programs.values()) program.kill('SIGKILL');
        killPostgres(machine);
      }
      await pause(500);
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** PostgreSQL refuses to run as root, so as root it runs as the user that Debian made for it. */
function findAccount() {
  if (process.getuid?.() !== 0) return {};
  const line = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .find((text) => text.startsWith('postgres:'));
  if (line === undefined) throw new Error('There is no user named postgres: install postgresql-15.');
  const [, , uid, gid] = line.split(':');
  return { uid: Number(uid), gid: Number(gid) };
}

/**
 * @param {string} name
 * @param {string} parent
 * @param {{ uid?: number, gid?: number }} account
 * @returns {Promise<Machine>}
 */
async function describeMachine(name, parent, { uid, gid }) {
  const folder = join(parent, name);
  mkdirSync(folder);
  if (uid !== undefined && gid !== undefined) chownSync(folder, uid, gid);
  const ports = {
    etcd: await freePort(),
    etcdPeer: await freePort(),
    patroni: await freePort(),
    postgres: await freePort(),
  };
  return { name, folder, ports, programs: new Map() };
}

/** @param {Machine} machine @param {readonly Machine[]} machines */
function etcdArguments({ name, folder, ports }, machines) {
  const peers = machines.map((each) => `${each.name}=http://127.0.0.1:${each.ports.etcdPeer}`).join(',');
  return [
    ...['--name', name, '--data-dir', join(folder, 'etcd'), '--log-level', 'warn'],
    ...[
      '--listen-client-urls',
      `http://127.0.0.1:${ports.etcd}`,
      '--advertise-client-urls',
      `http://127.0.0.1:${ports.etcd}`,
    ],
    ...[
      '--listen-peer-urls',
      `http://127.0.0.1:${ports.etcdPeer}`,
      '--initial-advertise-peer-urls',
      `http://127.0.0.1:${ports.etcdPeer}`,
    ],
    ...['--initial-cluster', peers, '--initial-cluster-state', existsSync(join(folder, 'etcd')) ? 'existing' : 'new'],
  ];
}

/**
 * A commit is acknowledged when a standby has it as well, and never otherwise (`synchronous_mode_strict`).
 * A primary whose process died is not restarted but replaced (`primary_start_timeout`), the shortest way to a running one.
 * @param {Machine} machine
 * @param {readonly Machine[]} machines
 */
function patroniSettings({ name, folder, ports }, machines) {
  return {
    scope: 'skein',
    name,
    restapi: { listen: `127.0.0.1:${ports.patroni}`, connect_address: `127.0.0.1:${ports.patroni}` },
    etcd3: { hosts: machines.map((machine) => `127.0.0.1:${machine.ports.etcd}`) },
    bootstrap: {
      dcs: {
        ttl: 20,
        loop_wait: 2,
        retry_timeout: 5,
        primary_start_timeout: 0,
        synchronous_mode: true,
        synchronous_mode_strict: true,
        postgresql: {
          use_pg_rewind: true,
          parameters: { max_connections: 60, wal_keep_size: '256MB', shared_buffers: '64MB' },
        },
      },
      initdb: [{ encoding: 'UTF8' }, 'data-checksums'],
      pg_hba: ['host all all 127.0.0.1/32 md5', 'host replication all 127.0.0.1/32 md5', 'local all all trust'],
    },
    postgresql: {
      listen: `127.0.0.1:${ports.postgres}`,
      connect_address: `127.0.0.1:${ports.postgres}`,
      data_dir: join(folder, 'data'),
      bin_dir: PROGRAMS,
      pgpass: join(folder, 'pgpass'),
      parameters: { unix_socket_directories: folder },
      authentication: {
        superuser: { username: 'postgres', password: PASSWORD },
        replication: { username: 'replicator', password: PASSWORD },
        rewind: { username: 'postgres', password: PASSWORD },
      },
    },
  };
}

/** Asks Patroni's own API which machine is the primary, as Patroni's documentation shows. @param {number} port @param {readonly Machine[]} machines */
function haproxySettings(port, machines) {
  const servers = machines.map(
    ({ name, ports }) => `  server ${name} 127.0.0.1:${ports.postgres} maxconn 100 check port ${ports.patroni}`,
  );
  return `global
  maxconn 400
defaults
  mode tcp
  timeout connect 2s
  timeout client 1h
  timeout server 1h
  timeout check 2s
listen primary
  bind 127.0.0.1:${port}
  option httpchk OPTIONS /primary
  http-check expect status 200
  default-server inter 1s fall 2 rise 1 on-marked-down shutdown-sessions
${servers.join('\n')}
`;
}

/** @param {Machine} machine @param {string} role @returns {Promise<number | undefined>} */
async function roleStatus({ ports }, role) {
  try {
    return (await fetch(`http://127.0.0.1:${ports.patroni}/${role}`, { signal: AbortSignal.timeout(2000) })).status;
  } catch {
    return undefined;
  }
}

/** Waits until the machine is the primary, or a standby that keeps up with it. @param {Machine} machine */
async function isHealthy(machine) {
  for (;;) {
    if ((await roleStatus(machine, 'primary')) === 200 || (await roleStatus(machine, 'replica?lag=1MB')) === 200)
      return;
    await pause(200);
  }
}

/** Patroni starts PostgreSQL as a process of its own, so that is found by its folder. @param {Machine} machine */
function postgresProcesses({ folder }) {
  const data = join(folder, 'data');
  const isIts = (/** @type {string} */ pid) => {
    try {
      return (
        readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(data) &&
        readFileSync(`/proc/${pid}/comm`, 'utf8').startsWith('postgres')
      );
    } catch {
      return false;
    }
  };
  const leaders = readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry) && isIts(entry))
    .map(Number);
  const children = readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry))
    .map(Number)
    .filter((pid) => leaders.includes(parentOf(pid)));
  return [...leaders, ...children];
}

/** @param {Machine} machine */
function killPostgres(machine) {
  for (const pid of postgresProcesses(machine)) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It ended with its parent.
    }
  }
}

/** @param {number} pid */
function parentOf(pid) {
  try {
    return Number(
      readFileSync(`/proc/${pid}/stat`, 'utf8')
        .replace(/^.*\) /s, '')
        .split(' ')[1],
    );
  } catch {
    return 0;
  }
}

/** @returns {Promise<number>} */
export function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
}

/** @param {number} ms @returns {Promise<void>} */
export function pause(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
