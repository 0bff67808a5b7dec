// Part of `npm run test:long`: the ways to install Skein, each tried in an empty folder with an empty home, an empty cache of
// npm, and a registry that cannot be reached. `node scripts/installing.mjs binary` tries one of them.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { startPostgres } from './postgres.mjs';
import { importEntries, tryReleases } from './releases.mjs';
import { findProgram, root, run, setUp } from './setup.mjs';

/** @type {Record<string, () => Promise<void>>} */
const WAYS = {
  packed: tryPacked,
  releases: tryOtherReleases,
  docker: tryDockerSteps,
  compose: tryCompose,
  systemd: trySystemd,
  clone: tryClone,
  binary: tryBinary,
  site: trySite,
};

const work = mkdtempSync(join(tmpdir(), 'skein-installing-'));
const home = join(work, 'home');
mkdirSync(home);
const env = {
  PATH: [dirname(process.execPath), '/usr/local/bin', '/usr/bin', '/bin'].join(delimiter),
  HOME: home,
  NO_COLOR: '1',
  npm_config_cache: join(work, 'cache'),
  npm_config_registry: 'http://127.0.0.1:9/',
  npm_config_update_notifier: 'false',
};
const packed = join(work, 'packed');

try {
  if (!setUp()) throw new Error('The dependencies are not installed.');
  const chosen = process.argv.slice(2);
  for (const [name, attempt] of Object.entries(WAYS)) {
    if (chosen.length > 0 && !chosen.includes(name)) continue;
    await attempt();
    console.log(`ok: ${name}`);
  }
} finally {
  rmSync(work, { recursive: true, force: true });
}

/** One line installs every package, and the command and all entries work. */
async function tryPacked() {
  makePacked();
  const project = join(work, 'project');
  mkdirSync(project);
  writeFileSync(join(project, 'package.json'), '{"private":true,"type":"module"}');
  shell(`npm install --offline ${packed}/*.tgz`, project);
  assert.equal(shell('npx --no -- skein --version', project).trim(), readVersion());
  assert.match(shell('npx --no -- skein ask Hello --store memory', project), /demo model/);
  importEntries(process.execPath, project, env);
}

/** On other releases of Node; `node scripts/installing.mjs releases 22` tries one. This alone needs a registry. */
async function tryOtherReleases() {
  makePacked();
  tryReleases(
    packed,
    work,
    process.argv.slice(2).filter((word) => !(word in WAYS)),
  );
}

/** The steps of the Dockerfile that install and start, without Docker; the first stage is `npm run pack`. */
async function tryDockerSteps() {
  makePacked();
  const lint = execFileSync(process.execPath, [findProgram('dockerfilelint'), join(root, 'Dockerfile')], {
    encoding: 'utf8',
  });
  assert.match(lint, /Issues: None found/);
  const text = readFileSync(join(root, 'Dockerfile'), 'utf8');
  assert.match(text, /^RUN npm run pack$/m);
  const [, command = '[]'] = /^CMD (\[.*\])$/m.exec(text) ?? [];
  const [, check = '[]'] = /^HEALTHCHECK .* CMD (\[.*\])$/m.exec(text) ?? [];
  const [program = '', ...args] = JSON.parse(command);
  const token = { SKEIN_TOKEN: 'a-token-of-the-test' };
  await serving(
    join(installGlobally(), 'bin', program),
    [...args, '--port', '0'],
    { ...token, SKEIN_STORE: join(work, 'forest') },
    async (url) => {
      const [checker = '', flag = '', code = ''] = JSON.parse(check);
      execFileSync(checker, [flag, code.replace('http://127.0.0.1:4141', url)], { env: { ...env, ...token } });
      assert.equal((await fetch(`${url}/api/v1/threads`)).status, 401);
    },
  );
}

/** The command of the compose file, with its variables and a real PostgreSQL in place of its database. */
async function tryCompose() {
  makePacked();
  const text = readFileSync(join(root, 'compose.yaml'), 'utf8');
  const [program = '', ...args] = JSON.parse(/^ {4}command: (\[.*\])$/m.exec(text)?.[1] ?? '[]');
  const postgres = await startPostgres([]);
  try {
    const given = { SKEIN_TOKEN: 'a-token-of-the-test', DATABASE_URL: postgres.url };
    for (const name of Object.keys(given)) assert.match(text, new RegExp(`^ {6}${name}: \\S`, 'm'));
    await serving(join(installGlobally(), 'bin', program), [...args, '--port', '0'], given, async (url) => {
      const headers = { authorization: `Bearer ${given.SKEIN_TOKEN}` };
      assert.equal((await fetch(`${url}/api/v1/health`, { headers })).status, 200);
    });
  } finally {
    await postgres.remove();
  }
}

/** What the unit of systemd starts, with its variables, ends by the signal that it names. */
async function trySystemd() {
  makePacked();
  const unit = readFileSync(join(root, 'deploy/skein.service'), 'utf8');
  const [, program = '', args = ''] = /^ExecStart=\/usr\/bin\/env (\S+) (.*)$/m.exec(unit) ?? [];
  const [, store = ''] = /^Environment=SKEIN_STORE=\/var\/lib\/skein\/(.*)$/m.exec(unit) ?? [];
  assert.match(unit, /^KillSignal=SIGINT$/m);
  const given = { SKEIN_STORE: join(work, store), SKEIN_TOKEN: 'a-token-of-the-test' };
  const code = await serving(
    join(installGlobally(), 'bin', program),
    [...args.split(' '), '--port', '0'],
    given,
    async (url) => assert.equal((await fetch(`${url}/api/v1/threads`)).status, 401),
  );
  assert.equal(code, 0);
}

/** Packing one package in a clone that was never built builds it first: the package has its code, and the licence. */
async function tryClone() {
  const clone = join(work, 'clone');
  execFileSync('git', ['clone', '--quiet', '--local', root, clone]);
  for (const folder of ['.', ...readdirSync(join(root, 'packages')).map((name) => join('packages', name))])
    linkModules(join(root, folder), join(clone, folder));
  rmSync(join(clone, 'node_modules/.cache'), { recursive: true, force: true });
  assert.ok(!existsSync(join(clone, 'packages/core/dist')));
  shell(`npm pack -w packages/core --pack-destination ${work}`, clone);
  const [file = ''] = readdirSync(work).filter((name) => /^skein-core-.*\.tgz$/.test(name));
  const listed = shell(`tar -tzf ${file}`, work).split('\n');
  for (const name of ['dist/index.js', 'dist/index.d.ts', 'dist-node/index.js', 'LICENSE'])
    assert.ok(listed.includes(`package/${name}`), name);
}

/** Gives a folder the dependencies of another one. @param {string} from @param {string} to */
function linkModules(from, to) {
  const modules = join(from, 'node_modules');
  if (!existsSync(modules)) return;
  try {
    execFileSync('cp', ['-al', modules, to], { stdio: 'ignore' });
  } catch {
    // Links do not lead to another disk.
    rmSync(join(to, 'node_modules'), { recursive: true, force: true });
    execFileSync('cp', ['-a', modules, to]);
  }
}

/** The executable asks and serves the page, with nothing but itself; a second start uses what the first one unpacked. */
async function tryBinary() {
  const folder = join(work, 'binary');
  assert.ok(run(process.execPath, [join(root, 'scripts/binary.mjs'), folder]));
  const program = join(folder, process.platform === 'win32' ? 'skein.exe' : 'skein');
  const alone = { PATH: '' };
  /** @param {string[]} args */
  const skein = (...args) => execFileSync(program, args, { cwd: home, env: { ...env, ...alone }, encoding: 'utf8' });
  assert.equal(skein('--version').trim(), readVersion());
  assert.match(skein('ask', 'Hello', '--store', 'memory'), /demo model/);
  const unpacked = join(home, '.cache', 'skein');
  if (process.platform === 'linux') assert.equal(readdirSync(unpacked).length, 1);
  writeFileSync(
    join(home, 'tools.mjs'),
    "import { tool } from 'skein';\nexport const clock = tool({ name: 'clock', execute: () => 'noon' });\n",
  );
  mkdirSync(join(home, 'agents'), { recursive: true });
  writeFileSync(
    join(home, 'agents', 'helper.yaml'),
    'system_prompt: Be brief.\nmodel: anthropic/claude-sonnet-5\ntools: [../tools.mjs]\n',
  );
  assert.match(skein('agents', '--agents', 'agents'), /helper/);
  await serving(program, ['--no-open', '--port', '0', '--store', 'memory'], alone, async (url) => {
    const page = await (await fetch(`${url}/`)).text();
    const [, script = ''] = /<script type="module"[^>]* src="([^"]+)"/.exec(page) ?? [];
    assert.equal((await fetch(new URL(script, url))).status, 200);
  });
}

/** The site has every page, can be searched, and asks no other host for anything. */
async function trySite() {
  assert.ok(run(process.execPath, [join(root, 'scripts/docs.mjs')]));
  const site = join(root, 'site/dist');
  const pages = readdirSync(site, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.html'));
  for (const page of [
    'index.html',
    'contents.html',
    'cli.html',
    'guides/deploy.html',
    'packages/core.html',
    'api/index.html',
  ])
    assert.ok(pages.includes(page), page);
  assert.ok(pages.some((page) => /^api\/functions\/.*run\.html$/.test(page)));
  assert.match(readFileSync(join(site, 'api/index.html'), 'utf8'), /The package <code>skein<\/code> re-exports/);
  assert.match(
    readFileSync(join(site, 'api/modules.html'), 'utf8'),
    />@skein\/<wbr\/?>core\/<wbr\/?>dialect<|>@skein\/core\/dialect</,
  );
  assert.ok(readdirSync(join(site, 'assets/chunks')).some((name) => name.startsWith('@localSearchIndex')));
  const fetched = pages.flatMap((page) => [
    ...readFileSync(join(site, page), 'utf8').matchAll(/<(?:script|link|img)[^>]* (?:src|href)="(https?:[^"]*)"/g),
  ]);
  assert.deepEqual(
    fetched.map(([, address]) => address),
    [],
  );
}

function makePacked() {
  if (!existsSync(packed)) assert.ok(run(process.execPath, [join(root, 'scripts/pack.mjs'), packed]));
}

/**
 * Runs a server until `use` is done with it. Gives its exit code.
 * @param {string} program
 * @param {readonly string[]} args
 * @param {Record<string, string>} more
 * @param {(url: string) => Promise<void>} use
 */
async function serving(program, args, more, use) {
  const server = spawn(program, args, { cwd: home, env: { ...env, ...more }, stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = new Promise((resolve) => server.once('close', resolve));
  let output = '';
  let isUsed = false;
  try {
    for await (const piece of server.stdout.setEncoding('utf8')) {
      output += piece;
      const [, port] = /page +http:\/\/[^:]+:(\d+)\//.exec(output) ?? [];
      if (port === undefined) continue;
      await use(`http://127.0.0.1:${port}`);
      isUsed = true;
      break;
    }
    assert.ok(isUsed, `The server ended: ${output}`);
  } finally {
    server.kill('SIGINT');
    await ended;
  }
  return server.exitCode;
}

/** Installs the command by the line of the Dockerfile, once; gives the folder in which npm puts it. */
function installGlobally() {
  const prefix = join(work, 'image');
  if (existsSync(prefix)) return prefix;
  const [, install = ''] = /^RUN (npm install .*?) && /m.exec(readFileSync(join(root, 'Dockerfile'), 'utf8')) ?? [];
  mkdirSync(prefix);
  shell(install.replace('/packed', packed), prefix, { npm_config_prefix: prefix });
  return prefix;
}

/**
 * @param {string} command
 * @param {string} cwd
 * @param {Record<string, string>} [more]
 */
function shell(command, cwd, more) {
  return execFileSync('sh', ['-c', command], {
    cwd,
    env: { ...env, ...more },
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

function readVersion() {
  return JSON.parse(readFileSync(join(root, 'packages/skein/package.json'), 'utf8')).version;
}
