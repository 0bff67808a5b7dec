import { join } from 'node:path';
import { describeProblem, loadConfig } from '@skein/agents';
import { describe, expect, test } from 'vitest';
import { about, configIn, folderWith, write } from './kit.ts';

const YAML = `store: ./forest
project: work
model: anthropic/claude-sonnet-4-5
preset: careful
presets:
  careful: { temperature: 0.2, max_tokens: 2048, n: 1 }
providers:
  openai: { base_url: https://proxy.example/v1, key_variable: WORK_KEY }
  house: { base_url: https://llm.house.example/v1, dialect: openai-chat }
agents: ./people
mcp:
  github: { command: github-mcp, args: [--read-only], env: { TOKEN: "\${GITHUB_TOKEN}" } }
  docs: { url: https://docs.example/mcp, headers: { Authorization: "Bearer \${DOCS_TOKEN}" } }
fetch: { enabled: true, hosts: [example.com] }
redaction: { patterns: ["\\\\d{16}"], fields: [ssn] }
retention: { days: 90 }
server: { port: 5000, host: 127.0.0.1, token_variable: MY_TOKEN, hosts: [skein.example] }
proxy: { mode: replay, on_miss: pass, use_server_keys: true }
`;

const TOML = `store = "./forest"
project = "work"
model = "anthropic/claude-sonnet-4-5"
preset = "careful"
agents = "./people"

[presets.careful]
temperature = 0.2
max_tokens = 2_048
n = 1

[providers.openai]
base_url = "https://proxy.example/v1"
key_variable = "WORK_KEY"

[providers.house]
base_url = "https://llm.house.example/v1"
dialect = "openai-chat"

[mcp.github]
command = "github-mcp"
args = [
  "--read-only",
]
env = { TOKEN = "\${GITHUB_TOKEN}" }

[mcp.docs]
url = "https://docs.example/mcp"
headers.Authorization = "Bearer \${DOCS_TOKEN}"

[fetch]
enabled = true
hosts = ["example.com"]

[redaction]
patterns = ['\\d{16}']
fields = ["ssn"]

[retention]
days = 90

[server]
port = 5000
host = "127.0.0.1"
token_variable = "MY_TOKEN"
hosts = ["skein.example"]

[proxy]
mode = "replay"
on_miss = "pass"
use_server_keys = true
`;

describe('the same configuration in every form', () => {
  test('YAML, TOML and JSON give the same', async () => {
    const yaml = await folderWith({ 'skein.config.yaml': YAML });
    const first = await configIn(yaml);
    expect(first.problems).toEqual([]);
    expect(first.config).toMatchObject({
      store: { kind: 'file', folder: join(yaml, 'forest') },
      presets: { careful: { temperature: 0.2, maxTokens: 2048, n: 1 } },
      agents: join(yaml, 'people'),
      cassettes: join(yaml, 'cassettes'),
      redaction: { patterns: ['\\d{16}'], fields: ['ssn'], beforeStoring: false },
      server: { port: 5000, host: '127.0.0.1', tokenVariable: 'MY_TOKEN', hosts: ['skein.example'] },
      proxy: { mode: 'replay', onMiss: 'pass', useServerKeys: true },
    });
    expect(first.config.providers.openai?.connection).toMatchObject({
      baseUrl: 'https://proxy.example/v1',
      keyVariables: ['WORK_KEY'],
    });
    expect(first.config.providers.openai?.issuer).toBe('api.openai.com/responses');
    expect(first.config.providers.house).toMatchObject({ id: 'house', issuer: '{host}', dialect: 'openai-chat' });
    const toml = await folderWith({ 'skein.config.toml': TOML });
    const { parse } = await import('yaml');
    const json = await folderWith({ 'skein.config.json': JSON.stringify(parse(YAML), null, '\t') });
    for (const folder of [toml, json]) {
      const other = await configIn(folder);
      expect(other.problems).toEqual([]);
      expect(JSON.parse(JSON.stringify(other.config).replaceAll(folder, yaml))).toEqual(
        JSON.parse(JSON.stringify(first.config)),
      );
    }
  });
});

describe('precedence', () => {
  test('flag, environment, project, user, default, each with where it came from', async () => {
    const folder = await folderWith({
      'skein.config.yaml':
        'project: from-project\nserver:\n  port: 3\n  host: project.example\npresets:\n  a: { n: 2 }\n',
    });
    const home = await folderWith({
      '.config/skein/skein.config.toml':
        'project = "from-user"\nmodel = "google/gemini-3-pro"\n[server]\nport = 4\n[presets.a]\nn = 9\n[presets.b]\nn = 3\n',
    });
    const { config, sources, files, problems } = await loadConfig({
      cwd: folder,
      home,
      env: { SKEIN_PORT: '2', SKEIN_HOST: 'env.example' },
      flags: { port: 1 },
    });
    expect(problems).toEqual([]);
    expect(config.server).toEqual({ port: 1, host: 'env.example', tokenVariable: 'SKEIN_TOKEN', hosts: [] });
    expect(config.project).toBe('from-project');
    expect(config.model).toBe('google/gemini-3-pro');
    expect(config.presets).toEqual({ a: { n: 2 }, b: { n: 3 } });
    const userFile = join(home, '.config/skein/skein.config.toml');
    expect(sources['server.port']).toEqual({ kind: 'flag', name: 'flag --port', line: undefined });
    expect(sources['server.host']).toMatchObject({ kind: 'environment', name: 'variable SKEIN_HOST' });
    expect(sources.project).toEqual({ kind: 'project', name: join(folder, 'skein.config.yaml'), line: 1 });
    expect(sources['presets.b']).toEqual({ kind: 'user', name: userFile, line: 7 });
    expect(sources['server.token_variable']).toBeUndefined();
    expect(files).toEqual([join(folder, 'skein.config.yaml'), userFile]);
  });

  test('the proxy is set by a flag, a variable or a file, and what is wrong is said with its place', async () => {
    const folder = await folderWith({
      'skein.config.yaml': 'proxy:\n  mode: reply\n  use_server_keys: yes please\nserver: { hosts: ["a:80"] }\n',
    });
    const env = { SKEIN_PROXY_ON_MISS: 'pass', SKEIN_USE_SERVER_KEYS: '1', SKEIN_HOSTS: 'a.example, b.example' };
    const load = (flags: object) => loadConfig({ cwd: folder, home: '/nobody', env, flags });
    const { config, problems, sources } = await load({ proxyMode: 'replay' });
    expect(config.proxy).toEqual({ mode: 'replay', onMiss: 'pass', useServerKeys: true });
    expect(config.server.hosts).toEqual(['a.example', 'b.example']);
    expect(sources['proxy.mode']).toMatchObject({ name: 'flag --proxy-mode' });
    expect(sources['proxy.on_miss']).toMatchObject({ name: 'variable SKEIN_PROXY_ON_MISS' });
    const said = problems.map(describeProblem).join('\n');
    expect(said).toMatch(/skein\.config\.yaml:2:3: proxy\.mode: .*record, replay/);
    expect(said).toMatch(/skein\.config\.yaml:3:3: proxy\.use_server_keys: /);
    expect(said).toMatch(/skein\.config\.yaml:4:\d+: server\.hosts.*host name without a port/);
    const wrong = await load({ proxyMode: 'reply', useServerKeys: 'maybe' });
    expect(wrong.config.proxy.mode).toBe('record');
    const flags = wrong.problems.map(describeProblem).join('\n');
    expect(flags).toContain('flag --proxy-mode');
    expect(flags).toContain('flag --use-server-keys');
  });

  test('XDG_CONFIG_HOME and XDG_DATA_HOME are followed; without them it is ~/.config and ~/.local/share', async () => {
    const xdg = await folderWith({ 'skein/skein.config.yaml': 'project: xdg' });
    const cwd = await folderWith({});
    const env = { XDG_CONFIG_HOME: xdg, XDG_DATA_HOME: '/data' };
    const { config } = await loadConfig({ cwd, home: '/nobody', env });
    expect(config.project).toBe('xdg');
    expect(config.store).toEqual({ kind: 'file', folder: '/data/skein' });
    const plain = await loadConfig({ cwd, home: '/nobody', env: {} });
    expect(plain.config.store).toEqual({ kind: 'file', folder: '/nobody/.local/share/skein' });
    expect(plain.config.project).toBe('default');
  });

  test('a project is found from the folders inside it, and not outside of its repository', async () => {
    const folder = await folderWith({ 'skein.config.yaml': 'project: above', 'a/b/x.txt': '' });
    expect((await configIn(join(folder, 'a/b'))).config.project).toBe('default');
    await write(folder, { '.git/HEAD': '' });
    expect((await configIn(join(folder, 'a/b'))).config.project).toBe('above');
    await write(folder, { 'a/.git/HEAD': '' });
    expect((await configIn(join(folder, 'a/b'))).config.project).toBe('default');
  });

  test('a value that is wrong is not used, and the next source counts', async () => {
    const folder = await folderWith({ 'skein.config.yaml': 'server: { port: 7 }' });
    const { config, problems } = await configIn(folder, { SKEIN_PORT: 'seven' });
    expect(config.server.port).toBe(7);
    expect(problems.map(describeProblem)).toEqual([
      'variable SKEIN_PORT: server.port: This is a text, and has to be a whole number from 0 to 65535. Write a whole number from 0 to 65535.',
    ]);
  });

  test('stores: a folder, memory, a variable with the address of a database', async () => {
    const cwd = await folderWith({});
    const readStore = async (store: string) =>
      (await loadConfig({ cwd, home: '/h', env: {}, flags: { store } })).config.store;
    expect(await readStore('memory')).toEqual({ kind: 'memory' });
    expect(await readStore('postgres:DATABASE_URL')).toEqual({ kind: 'postgres', variable: 'DATABASE_URL' });
    expect(await readStore('~/x')).toEqual({ kind: 'file', folder: '/h/x' });
    const { problems } = await loadConfig({ cwd, home: '/h', env: { SKEIN_STORE: 'postgres://u:hunter2@h/db' } });
    expect(JSON.stringify(problems)).not.toContain('hunter2');
    expect(problems[0]?.fix).toContain('postgres:DATABASE_URL');
  });
});

test('projects in several databases: each has its own store, and a flag names one for all', async () => {
  const yaml = 'store: ./folder\nstores: { eu: postgres:EU_URL, us: postgres:US_URL }\n';
  const cwd = await folderWith({ 'skein.config.yaml': yaml });
  const storeOf = async (flags: object) => (await loadConfig({ cwd, home: '/h', env: {}, flags })).config.store;
  expect(await storeOf({ project: 'eu' })).toEqual({ kind: 'postgres', variable: 'EU_URL' });
  expect(await storeOf({ project: 'us' })).toEqual({ kind: 'postgres', variable: 'US_URL' });
  expect(await storeOf({})).toEqual({ kind: 'file', folder: join(cwd, 'folder') });
  expect(await storeOf({ project: 'eu', store: 'memory' })).toEqual({ kind: 'memory' });
  const secret = await folderWith({ 'skein.config.yaml': 'stores: { eu: "postgres://u:hunter2@h/d" }' });
  const { problems } = await configIn(secret);
  expect(problems.map(({ key }) => key)).toEqual(['stores.eu']);
  expect(JSON.stringify(problems)).not.toContain('hunter2');
});

describe('what is wrong is named by file, line and key, with what to do', () => {
  const yamlCases: readonly [string, string, { key: string; line: number; code: string; fix: RegExp }][] = [
    ['an unknown key', 'project: a\nmodle: x/y\n', { key: 'modle', line: 2, code: 'unknown-key', fix: /"model"/ }],
    [
      'a wrong type',
      'server:\n  port: "80"\n',
      { key: 'server.port', line: 2, code: 'wrong-type', fix: /whole number/ },
    ],
    ['a list for keys', 'server: [1]\n', { key: 'server', line: 1, code: 'wrong-type', fix: /keys and values/ }],
    ['an unknown preset', 'preset: wild\n', { key: 'preset', line: 1, code: 'wrong-value', fix: /presets/ }],
    [
      'a provider without an address',
      'providers:\n  hous: { key_variable: K }\n',
      { key: 'providers.hous', line: 2, code: 'missing-key', fix: /base_url/ },
    ],
    [
      'an unknown dialect',
      'providers:\n  h:\n    base_url: http://x/\n    dialect: klingon\n',
      { key: 'providers.h.dialect', line: 4, code: 'wrong-value', fix: /dialect/ },
    ],
    ['no command', 'mcp:\n  a: { args: [] }\n', { key: 'mcp.a', line: 2, code: 'missing-key', fix: /command/ }],
    [
      'a bad name',
      'mcp:\n  a__b: { url: http://x/ }\n',
      { key: 'mcp.a__b', line: 2, code: 'wrong-value', fix: /name/ },
    ],
    [
      'a bad pattern',
      'redaction:\n  patterns:\n    - "("\n',
      { key: 'redaction.patterns[0]', line: 3, code: 'wrong-value', fix: /./ },
    ],
    ['YAML syntax', 'project: a\nstore: [1\n', { key: '', line: 3, code: 'syntax', fix: /YAML/ }],
    ['a key twice', 'project: a\nproject: b\n', { key: '', line: 2, code: 'syntax', fix: /YAML/ }],
  ];
  test.each(yamlCases)('%s', async (_, text, { key, line, code, fix }) => {
    const folder = await folderWith({ 'skein.config.yaml': text });
    const { problems } = await configIn(folder);
    const file = join(folder, 'skein.config.yaml');
    expect(about(problems, key)).toMatchObject({ severity: 'error', file, line, code });
    expect(about(problems, key).fix).toMatch(fix);
  });

  test('in TOML and JSON, too', async () => {
    const toml = await folderWith({
      'skein.config.toml': 'project = "a"\n\n[server]\n# a comment\nprot = 1\nport = true\n',
    });
    const { problems } = await configIn(toml);
    expect(about(problems, 'server.prot')).toMatchObject({ line: 5, code: 'unknown-key' });
    expect(about(problems, 'server.port')).toMatchObject({ line: 6, code: 'wrong-type' });
    const broken = await configIn(await folderWith({ 'skein.config.toml': 'project = "a"\nstore = \n' }));
    expect(about(broken.problems, '')).toMatchObject({ line: 2, code: 'syntax' });
    const json = await configIn(await folderWith({ 'skein.config.json': '{\n  "server": {\n\t"prot": 1\n  }\n}' }));
    expect(about(json.problems, 'server.prot')).toMatchObject({ line: 3, code: 'unknown-key' });
    const cut = await configIn(await folderWith({ 'skein.config.json': '{\n  "project": "a",\n  "store" }' }));
    expect(about(cut.problems, '')).toMatchObject({ line: 3, code: 'syntax' });
  });

  test('two files in one folder', async () => {
    const folder = await folderWith({ 'skein.config.yaml': 'project: a', 'skein.config.json': '{"project":"b"}' });
    const { config, problems } = await configIn(folder);
    expect(config.project).toBe('a');
    expect(about(problems, '')).toMatchObject({ code: 'duplicate', file: join(folder, 'skein.config.json') });
  });
});

describe('a secret in a file', () => {
  const cases: readonly [string, string, string, number][] = [
    ['api_key', 'providers:\n  openai:\n    api_key: abc123\n', 'providers.openai.api_key', 3],
    ['apiKey', 'providers:\n  openai: { apiKey: abc123 }\n', 'providers.openai.apiKey', 2],
    [
      'a key for a variable',
      'providers:\n  openai:\n    key_variable: sk-proj-abcdefghij0123456789\n',
      'providers.openai.key_variable',
      3,
    ],
    [
      'a header',
      'mcp:\n  a:\n    url: http://x/\n    headers:\n      Authorization: Bearer hunter2\n',
      'mcp.a.headers.Authorization',
      5,
    ],
    [
      'a variable of a program',
      'mcp:\n  a:\n    command: x\n    env: { GITHUB_TOKEN: hunter2 }\n',
      'mcp.a.env.GITHUB_TOKEN',
      4,
    ],
    [
      'an argument',
      'mcp:\n  a:\n    command: x\n    args:\n      - ghp_0123456789abcdefghijABCDEFGHIJ\n',
      'mcp.a.args[0]',
      5,
    ],
    ['a password in an address', 'store: postgres://u:hunter2@h/db\n', 'store', 1],
  ];
  test.each(cases)('%s is refused, not used and not repeated', async (_, text, key, line) => {
    const { config, problems } = await configIn(await folderWith({ 'skein.config.yaml': text }));
    expect(about(problems, key)).toMatchObject({ severity: 'error', code: 'secret', line });
    expect(about(problems, key).fix).toContain('environment variable');
    expect(JSON.stringify([config, problems])).not.toMatch(/abc123|hunter2|abcdefghij/);
  });

  test('the names of variables are none', async () => {
    const text =
      'providers:\n  openai: { key_variable: MY_SECRET_KEY }\nserver: { token_variable: T }\nproject: sk-learn-based-classification-tool\n';
    expect((await configIn(await folderWith({ 'skein.config.yaml': text }))).problems).toEqual([]);
  });
});

test.each([
  ['yaml', 'project: work\nmcp: &loop\n  a: *loop\n', 3],
  ['yaml', `project: work\npresets: ${'{a: '.repeat(30_000)}1${'}'.repeat(30_000)}\n`, 2],
  ['toml', `project = "work"\nx = ${'['.repeat(30_000)}${']'.repeat(30_000)}\n`, 2],
  ['json', `{"project":"work","presets":${'{"a":'.repeat(30_000)}1${'}'.repeat(30_000)}}`, 1],
])('a file that contains itself, or nests without end, is a problem and no crash: %s', async (ending, text, line) => {
  const folder = await folderWith({ [`skein.config.${ending}`]: text });
  const { config, problems } = await configIn(folder);
  expect(config.project).toBe('default');
  expect(problems).toMatchObject([{ severity: 'error', code: 'syntax', line }]);
});
