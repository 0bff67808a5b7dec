/** An empty home in which the commands of README or of a guide are run: the emulator answers for the providers, and small programs for others. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { startEmulator } from '@skein/emulator';
import { expect, onTestFinished } from 'vitest';
import { closeTerminals, openTerminal } from '../packages/cli/test/terminal.ts';
import { exampleFolder } from '../packages/forest/src/formats/older/test-folder.ts';
import { CLAUDE_CODE_LOG } from '../packages/forest/src/formats/session-logs/test-session-logs.ts';
import { project } from './installed-packages.ts';

const PROGRAM = `
const response = await fetch(process.env.OPENAI_BASE_URL + '/chat/completions', {
  method: 'POST',
  headers: { authorization: 'Bearer ' + process.env.OPENAI_API_KEY, 'content-type': 'application/json' },
  body: JSON.stringify({ model: 'gpt-5.5', messages: [{ role: 'user', content: 'Hello' }] }),
});
if (!response.ok) throw new Error(await response.text());
console.log((await response.json()).choices[0].message.content);
`;
const CLAUDE = `
const response = await fetch(process.env.ANTHROPIC_BASE_URL + '/v1/messages', {
  method: 'POST',
  headers: { 'x-api-key': process.env.ANTHROPIC_API_KEY, 'content-type': 'application/json', 'anthropic-version': '2023-06-01' },
  body: JSON.stringify({ model: process.env.ANTHROPIC_MODEL ?? 'claude-opus-5-5', max_tokens: 100, messages: [{ role: 'user', content: 'Hi' }] }),
});
if (!response.ok) throw new Error(await response.text());
console.log((await response.json()).content[0].text);
`;
const CODEX = `
const [, base] = /base_url="([^"]+)"/.exec(process.argv.join(' '));
const [, model] = /model="([^"]+)"/.exec(process.argv.join(' '));
const response = await fetch(base + '/responses', {
  method: 'POST',
  headers: { authorization: 'Bearer ' + process.env.SKEIN_ROUTE_KEY, 'content-type': 'application/json' },
  body: JSON.stringify({ model, input: 'Hi', store: false }),
});
if (!response.ok) throw new Error(await response.text());
console.log((await response.json()).output.at(-1).content[0].text);
`;
const EXPORT = [
  { uuid: 'c1', name: 'Yarn', chat_messages: [{ uuid: 'm1', sender: 'human', text: 'What is yarn?', content: [] }] },
];
/** Programs that a guide calls and that are not here. They do with Skein what the real ones do. */
const STAND_INS = { claude: CLAUDE, codex: CODEX, python: PROGRAM };

/** Commands that run until they are stopped, and what they print when they are ready. */
const SERVERS: readonly (readonly [command: RegExp, ready: RegExp])[] = [
  [/^skein watch$/, /Watching/],
  [/^skein emulate/, /OPENAI_BASE_URL=(http:\/\/[\d.]+:\d+)/],
  [/^skein( serve)?( --|$)/, /API +(http:\/\/[^/]+)/],
];

export interface GuideWorld {
  /** Runs one line as it is written, but with addresses and ids of this home. Gives what it printed. */
  run(line: string): Promise<string>;
  writeConfig(text: string): void;
  /** Sends Ctrl+C to all servers; they must end without a failure. */
  stop(): Promise<void>;
}

/** @param addresses of the guide, and what stands in for them */
export async function openGuideWorld(addresses: Readonly<Record<string, string>> = {}): Promise<GuideWorld> {
  const emulator = await startEmulator({ brain: 'demo', sleep: async () => {} });
  const home = mkdtempSync(join(tmpdir(), 'skein-guide-'));
  const running: { line: string; child: ChildProcess }[] = [];
  onTestFinished(async () => {
    for (const { child } of running) child.kill('SIGKILL');
    await closeTerminals();
    await emulator.close();
    rmSync(home, { recursive: true, force: true });
  });
  fillHome(home);
  const path = [join(home, 'bin'), join(project, 'node_modules', '.bin'), dirname(process.execPath), process.env.PATH];
  const env: Record<string, string> = { ...emulator.env(), PATH: path.join(delimiter), HOME: home };
  const known: Record<string, string> = {
    'https://llm.house.example/v1': emulator.baseUrl('openai-chat'),
    ...addresses,
  };

  async function execute(line: string): Promise<string> {
    const child = promisify(execFile)('sh', ['-e', '-c', line], { cwd: home, env });
    child.child.stdin?.end();
    const { stdout, stderr } = await child;
    return stdout + stderr;
  }

  /** `skein chat` needs a terminal, in which somebody asks one question. */
  async function chat(line: string): Promise<string> {
    const words = line.replaceAll('…', 'a-key').split(' ');
    const variables = words.slice(0, words.indexOf('skein')).map((word) => word.split(/=(.*)/s));
    const own = { ...env, ...Object.fromEntries(variables) };
    const terminal = openTerminal(home, words.slice(words.indexOf('skein') + 1), own);
    await terminal.see(/1> $/);
    terminal.type('Hello\r');
    const said = await terminal.see(/2> $/);
    terminal.type('/quit\r');
    expect(await terminal.ended, line).toBe(0);
    return said;
  }

  async function startServer(line: string, ready: RegExp): Promise<string> {
    const port = line === 'skein watch' ? '' : ' --port 0';
    const child = spawn('sh', ['-c', `exec ${line}${port}`], { cwd: home, env });
    running.push({ line, child });
    let printed = '';
    await new Promise<void>((resolve, reject) => {
      const read = (data: Buffer) => {
        printed += data;
        if (ready.test(printed)) resolve();
      };
      child.stdout.on('data', read);
      child.stderr.on('data', read);
      child.once('exit', () => reject(new Error(`${line} ended: ${printed}`)));
    });
    const [, url] = ready.exec(printed) ?? [];
    if (url) {
      const local = url.replace('0.0.0.0', '127.0.0.1');
      if (line.startsWith('skein emulate')) known['http://127.0.0.1:4142'] = local;
      else known['http://127.0.0.1:4141'] = known['http://skein.example:4141'] = local;
    }
    return printed;
  }

  /** The guides name a conversation 0mhr and a message 3f2a; here these are the newest ones. */
  async function withIds(line: string): Promise<string> {
    if (!/\b(0mhr|3f2a)\b/.test(line)) return line;
    const list = async () => JSON.parse(await execute('skein threads --all --json')).items;
    if ((await list()).length === 0) await execute('skein ask Hello');
    const [{ id, head }] = await list();
    return line.replace('0mhr', id.slice(0, 12)).replace('3f2a', head.slice(0, 8));
  }

  return {
    async run(line) {
      let typed = await withIds(line);
      for (const [address, own] of Object.entries(known)) typed = typed.replaceAll(address, own);
      if (/^export /.test(typed)) {
        const names = [...typed.matchAll(/(\w+)=/g)].map(([, name = '']) => name);
        const values = await execute(`${typed}; for name in ${names.join(' ')}; do eval "echo \\$$name"; done`);
        for (const [at, value] of values.trim().split('\n').entries()) env[names[at] ?? ''] = value;
        return values;
      }
      if (typed.includes('skein chat')) return chat(typed);
      const [, ready] = SERVERS.find(([command]) => command.test(typed)) ?? [];
      return ready ? startServer(typed, ready) : execute(typed);
    },
    writeConfig: (text) => writeFileSync(join(home, 'skein.config.yaml'), text),
    async stop() {
      for (const { line, child } of running) {
        const ended = new Promise((resolve) => child.once('exit', resolve));
        child.kill('SIGINT');
        expect(await ended, line).toBe(0);
      }
    },
  };
}

function fillHome(home: string): void {
  const write = (name: string, content: string | Buffer, mode = 0o644) => {
    mkdirSync(dirname(join(home, name)), { recursive: true });
    writeFileSync(join(home, name), content, { mode });
  };
  for (const [name, code] of Object.entries(STAND_INS)) {
    write(`bin/${name}.mjs`, code);
    write(`bin/${name}`, `#!/bin/sh\nexec node "${home}/bin/${name}.mjs" "$@"\n`, 0o755);
  }
  write('bin/createdb', '#!/bin/sh\n', 0o755);
  write('bin/systemctl', '#!/bin/sh\ntest -s "$HOME/.config/systemd/user/$4.service"\n', 0o755);
  for (const name of ['my-app.mjs', 'app.js']) write(name, PROGRAM);
  write('package.json', '{"type":"module","scripts":{"test":"node my-app.mjs"}}');
  write('notes.txt', 'The yarn is red.');
  write('photo.jpg', Buffer.from('ffd8ffe000104a46494600010100000100010000ffd9', 'hex'));
  write('.claude/projects/shop/session-1.jsonl', CLAUDE_CODE_LOG.replaceAll('/home/mira/shop', home));
  write('conversations.json', JSON.stringify(EXPORT));
  symlinkSync(join(project, 'examples'), join(home, 'examples'));
  mkdirSync(join(home, '.config/systemd/user'), { recursive: true });
  cpSync(exampleFolder(), join(home, 'loom-data'), { recursive: true });
}
