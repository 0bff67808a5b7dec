import { watch as watchFolder } from 'node:fs';
import { mkdir, stat, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { describeLoss } from '@skein/core';
import {
  CODING_AGENTS,
  type Forest,
  type ImportProblem,
  type ImportSessionsOptions,
  type ImportSessionsResult,
  importSessions,
  writeSession,
} from '@skein/forest';
import { requireWritable, untilInterrupted, withForest } from '../context/command-context.ts';
import { locate } from '../context/locate.ts';
import {
  CommandError,
  counted,
  note,
  progressLine,
  say,
  sayJson,
  toPrintable,
  UsageError,
  warn,
} from '../output/output.ts';
import type { ForestFlags } from './forest-command.ts';

interface SessionFlags extends ForestFlags {
  readonly redact?: boolean | undefined;
}

/** Imports the sessions of coding agents. */
export async function importAgents(names: readonly string[] | undefined, options: SessionFlags): Promise<void> {
  const { json, redact = false, ...flags } = options;
  const agents = checkAgents(names);
  await withForest(flags, async ({ forest, config, redact: hide }) => {
    const progress = progressLine();
    const done = await importSessions(forest, {
      ...(agents && { agents }),
      redact,
      onKeys: tellKeys(redact),
      // What the configuration does not want to be stored is not stored from a log either.
      ...(config.redaction.beforeStoring && { hide }),
      onProgress: ({ logs, of, sessions, messages }) => progress.tell(countsOf(sessions, messages), logs / of),
    }).finally(progress.end);
    tellProblems(done.problems);
    tellKeyCount(done.keys.length, redact);
    if (done.problems.length > 0) process.exitCode = 1;
    if (json) return sayJson(done);
    for (const { agent, folder, logs, read } of done.agents)
      say(toPrintable(`${agent}: ${counted(logs, 'log')} in ${folder}, ${read} of them new or changed.`));
    if (done.agents.length === 0) note(`No logs were found. Looked for those of ${agentNames().join(', ')}.`);
    say(`${countsOf(done.threads.length, done.messages)}, ${done.added} of them new.`);
  });
}

function agentNames(): string[] {
  return CODING_AGENTS.map(({ id }) => id);
}

function checkAgents(names: readonly string[] | undefined): readonly string[] | undefined {
  const unknown = names?.find((name) => !agentNames().includes(name));
  if (unknown !== undefined)
    throw new UsageError(`"${unknown}" is not an agent whose logs are known. They are ${agentNames().join(', ')}.`);
  return names;
}

/** Prints the first problems only: a file in the wrong format has one on every line. */
const MOST_TOLD = 5;

/** Tells what could not be imported. */
export function tellProblems(problems: readonly ImportProblem[]): void {
  for (const { where, message } of problems.slice(0, MOST_TOLD)) warn(toPrintable(`${where}: ${message}`));
  if (problems.length > MOST_TOLD) warn(`and ${problems.length - MOST_TOLD} more; --json lists all.`);
}

/** Counts conversations and messages in words. */
export function countsOf(conversations: number, messages: number): string {
  return `${counted(conversations, 'conversation')}, ${counted(messages, 'message')}`;
}

/** Tells, before a log is stored, where it has what looks like a key. */
function tellKeys(isRedacted: boolean): (keys: ImportSessionsResult['keys']) => void {
  let told = 0;
  return (keys) => {
    for (const { where, kind } of keys.slice(0, Math.max(0, MOST_TOLD - told)))
      warn(toPrintable(`${where}: this looks like ${kind}. It is ${isRedacted ? 'left out' : 'stored as it is'}.`));
    told += keys.length;
  };
}

function tellKeyCount(count: number, isRedacted: boolean): void {
  if (count === 0) return;
  const all = counted(count, 'text');
  warn(
    isRedacted
      ? `${all} that look like keys were left out.`
      : `${all} that look like keys were stored with the sessions: --redact leaves such texts out.`,
  );
}

interface WatchOptions extends SessionFlags {
  readonly agents?: string | undefined;
  readonly service?: string;
}

/** How long changes of logs are gathered before they are read, and how often folders are looked for that are not there yet. */
const GATHER_MS = 1000;
const LOOK_MS = 60_000;
/** How often all logs are looked at: the system may have lost a change. */
const LOOK_AT_ALL_MS = 600_000;

/** Keeps the sessions of agents until Ctrl+C: what they log is imported as it grows. */
export async function watchAgents({ agents: names, service, redact = false, ...flags }: WatchOptions): Promise<void> {
  if (service !== undefined) return say(serviceFile(service, { ...flags, agents: names, redact }).trimEnd());
  const agents = checkAgents(names?.split(','));
  await withForest(flags, async ({ forest, config, redact: hide }) => {
    await requireWritable(config.store);
    const chosen = CODING_AGENTS.filter(({ id }) => agents === undefined || agents.includes(id));
    const watched = new Map<string, { close(): void }>();
    const importer = createImports(forest, {
      ...(agents && { agents }),
      redact,
      onKeys: tellKeys(redact),
      ...(config.redaction.beforeStoring && { hide }),
    });
    const look = async () => {
      for (const { title, folder } of chosen) {
        const place = folder(process.env);
        if (watched.has(place) || !(await stat(place).catch(() => undefined))) continue;
        const watcher = watchFolder(place, { recursive: true, persistent: false }, (_, name) =>
          importer.soon(name === null ? undefined : join(place, name)),
        );
        // A folder that is removed is looked for again.
        watcher.on('error', () => {
          watcher.close();
          watched.delete(place);
        });
        watched.set(place, watcher);
        importer.soon();
        note(toPrintable(`Watching ${title} in ${place}.`));
      }
    };
    await look();
    if (watched.size === 0)
      note(`No agent has logged anything yet. Waiting for ${chosen.map(({ title }) => title).join(', ')}.`);
    const timers = [setInterval(() => void look(), LOOK_MS), setInterval(() => importer.soon(), LOOK_AT_ALL_MS)];
    await untilInterrupted();
    for (const timer of timers) clearInterval(timer);
    for (const watcher of watched.values()) watcher.close();
    await importer.settled();
  });
}

/** Imports one after the other; changes in between are taken by the next one. */
function createImports(forest: Forest, options: ImportSessionsOptions) {
  let running = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;
  /** The logs that changed; undefined for all of them. */
  let changed: Set<string> | undefined = new Set();
  const run = async () => {
    const paths = changed;
    changed = new Set();
    try {
      const { threads, added, problems } = await importSessions(forest, { ...options, ...(paths && { paths }) });
      tellProblems(problems);
      if (added > 0) note(`${counted(added, 'new message')} in ${counted(threads.length, 'conversation')}.`);
    } catch (error) {
      changed = undefined;
      warn(toPrintable(`The sessions could not be imported: ${(error as Error).message}`));
    }
  };
  return {
    /** Without a path, all logs are looked at. */
    soon(path?: string) {
      // A database changes in the file beside it first.
      if (path === undefined) changed = undefined;
      else changed?.add(path.replace(/-(?:wal|shm)$/, ''));
      timer ??= setTimeout(() => {
        timer = undefined;
        running = running.then(run);
      }, GATHER_MS);
    },
    async settled() {
      clearTimeout(timer);
      await running;
      changed = undefined;
      await run();
    },
  };
}

/** A file by which the system keeps `skein watch` running for a person. */
function serviceFile(kind: string, { store, project, agents, redact }: Omit<WatchOptions, 'service'>): string {
  const [node, script] = [process.execPath, resolve(process.argv[1] ?? 'skein')];
  const args = [
    'watch',
    ...(store === undefined ? [] : ['--store', resolve(store)]),
    ...(project === undefined ? [] : ['--project', project]),
    ...(agents === undefined ? [] : ['--agents', agents]),
    ...(redact ? ['--redact'] : []),
  ];
  if (kind === 'systemd')
    return `# ~/.config/systemd/user/skein-watch.service
# systemctl --user daemon-reload && systemctl --user enable --now skein-watch
[Unit]
Description=Skein keeps the sessions of coding agents

[Service]
ExecStart=${[node, script, ...args].map(quoteForSystemd).join(' ')}
Restart=on-failure
Nice=10

[Install]
WantedBy=default.target
`;
  if (kind === 'launchd')
    return `<?xml version="1.0" encoding="UTF-8"?>
<!-- ~/Library/LaunchAgents/dev.skein.watch.plist, then: launchctl load ~/Library/LaunchAgents/dev.skein.watch.plist -->
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
  <key>Label</key><string>dev.skein.watch</string>
  <key>ProgramArguments</key>
  <array>
${[node, script, ...args].map((part) => `    <string>${escapeXml(part)}</string>`).join('\n')}
  </array>
  <key>RunAtLoad</key><true/>
  <key>KeepAlive</key><true/>
</dict>
</plist>
`;
  throw new UsageError(`"${kind}" is not a kind of service. Allowed choices are systemd, launchd.`);
}

/** systemd replaces variables and what follows a percent sign, within quotes as well. */
function quoteForSystemd(text: string): string {
  return JSON.stringify(text).replaceAll('%', '%%').replaceAll('$', '$$$$');
}

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

interface HandoffOptions extends ForestFlags {
  readonly to: string;
  readonly cwd?: string;
  readonly model?: string;
  readonly out?: string;
}

/** The folder below which each agent keeps the files that `writeSession` names. */
const AGENT_HOMES: Readonly<Record<string, () => string>> = {
  'claude-code': () => process.env.CLAUDE_CONFIG_DIR ?? join(homedir(), '.claude'),
  codex: () => process.env.CODEX_HOME ?? join(homedir(), '.codex'),
  pi: () => process.env.PI_CODING_AGENT_DIR ?? join(homedir(), '.pi', 'agent'),
};

/** Writes a conversation where a coding agent looks for its sessions, and says how to go on. It adds files and changes none. */
export async function handOff(id: string, { to, cwd, model, out, json, ...flags }: HandoffOptions): Promise<void> {
  await withForest(flags, async ({ forest }) => {
    const { thread, node } = await locate(forest, id);
    const of = thread ?? (await forest.threads.of(node))[0];
    if (!of) throw new UsageError(`No conversation ends at, above or below "${id}".`);
    const folder = resolve(cwd ?? of.cwd ?? process.cwd());
    const written = await writeSession(forest, of.id, {
      agent: to,
      cwd: folder,
      ...(model !== undefined && { model }),
    });
    const home = out ?? AGENT_HOMES[to]?.() ?? process.cwd();
    const paths = written.files.map(({ path }) => join(home, path));
    for (const path of paths)
      if (await stat(path).catch(() => undefined))
        throw new CommandError('would_overwrite', `${path} already exists; nothing was written.`);
    for (const [index, { text }] of written.files.entries()) {
      await mkdir(dirname(paths[index]!), { recursive: true });
      await writeFile(paths[index]!, text, { flag: 'wx', mode: 0o600 });
    }
    const resume =
      to === 'opencode' ? `opencode import ${paths[0]} && ${written.resume.join(' ')}` : written.resume.join(' ');
    if (json) return sayJson({ files: paths, resume, cwd: folder, losses: written.losses });
    for (const loss of written.losses) warn(toPrintable(describeLoss(loss)));
    for (const path of paths) note(toPrintable(`${path} was written.`));
    say(toPrintable(`cd ${folder} && ${resume}`));
  });
}
