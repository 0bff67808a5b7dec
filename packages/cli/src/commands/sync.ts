import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import {
  answerLines,
  type Forest,
  folderPacks,
  gitPacks,
  meetForest,
  openForest,
  type PackStorage,
  packPeer,
  remotePeer,
  type SyncCall,
  type SyncDirection,
  type SyncPeer,
  type SyncResult,
  storePeer,
} from '@skein/forest';
import { hasRedaction, storeAddress, untilInterrupted, withForest } from '../context/command-context.ts';
import { openPackCache } from '../context/pack-cache.ts';
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
  writeAll,
} from '../output/output.ts';
import type { ForestFlags } from './forest-command.ts';

interface SyncFlags extends ForestFlags {
  readonly token: string;
  readonly key?: string;
  readonly dryRun?: boolean;
  readonly tag?: string;
  readonly since?: number;
  readonly until?: number;
  readonly watch?: boolean;
  readonly stdio?: boolean;
}

/** While watching, the other side is asked this often; changes on this side are sent at once. */
const ASK_MS = 5000;

/** `skein push`, `pull` and `sync`. */
export async function meet(where: string | undefined, direction: SyncDirection, options: SyncFlags): Promise<void> {
  const {
    json = false,
    token,
    key,
    dryRun = false,
    watch = false,
    stdio = false,
    tag,
    since,
    until,
    ...flags
  } = options;
  if (!stdio && where === undefined)
    throw new UsageError(
      'Name the other forest: a folder, http://server, ssh:host:folder, git:repository#branch, or postgres:VARIABLE.',
    );
  const selection = {
    ...(tag !== undefined && { tag }),
    ...(since !== undefined && { since }),
    ...(until !== undefined && { until }),
  };
  const hasSelection = Object.keys(selection).length > 0;
  await withForest(flags, async ({ forest, config }) => {
    if (hasRedaction(config))
      throw new CommandError(
        'would_lose',
        'The configuration hides texts, and a sync is exact: take "redaction" away.',
      );
    if (stdio) {
      const lines = createInterface({ input: process.stdin, crlfDelay: Number.POSITIVE_INFINITY });
      return writeAll(answerLines(storePeer(forest.store), lines));
    }
    if (direction === 'pull') requireFolder(where!);
    const there = await openPeer(where!, { project: config.project, token: process.env[token] || undefined, key });
    try {
      const once = async () => {
        const progress = progressLine();
        return meetForest(forest, there.peer, there.name, {
          direction,
          dryRun,
          ...(hasSelection && { selection }),
          onProgress: ({ done, total }) => progress.tell(`${done} of ${counted(total, 'record')}`, done / total),
        }).finally(progress.end);
      };
      const result = await once();
      if (json) sayJson(result);
      else sayResult(result, dryRun);
      if (watch) await keepInStep(forest, once);
    } finally {
      await there.close();
    }
  });
}

function sayResult({ sent, received, messages, conflicts }: SyncResult, isDry: boolean): void {
  const verb = isDry ? 'would be ' : '';
  say(
    `${counted(sent, 'record')} ${verb}sent (${counted(messages.sent, 'message')}), ` +
      `${received} ${verb}received (${counted(messages.received, 'message')}).`,
  );
  for (const { on, key, name, kept, lost, keptAs } of conflicts) {
    if (on === 'thread' && name === 'head') {
      warn(`Both sides continued thread ${key}: it ends at ${kept}; the other continuation is thread ${keptAs}.`);
      continue;
    }
    warn(
      toPrintable(
        `Both sides changed the ${name} of ${on} ${key}: ${JSON.stringify(kept)} counts; ${JSON.stringify(lost)} is kept as ${keptAs}.`,
      ),
    );
  }
}

/** Meets again after every change on this side, and every few seconds. A failure is told, and the next time tried again. */
async function keepInStep(forest: Forest, once: () => Promise<SyncResult>): Promise<void> {
  note('Keeping both in step until Ctrl+C.');
  let isEnded = false;
  let wake = () => {};
  const ended = untilInterrupted().then(() => {
    isEnded = true;
    wake();
  });
  const unwatch = forest.store.watch(() => wake());
  while (!isEnded) {
    await new Promise<void>((done) => {
      const timer = setTimeout(done, ASK_MS);
      wake = () => {
        clearTimeout(timer);
        done();
      };
    });
    if (isEnded) break;
    try {
      const result = await once();
      if (result.sent + result.received > 0) sayResult(result, false);
    } catch (error) {
      warn(toPrintable(`${(error as Error).message} Trying again.`));
    }
  }
  unwatch();
  await ended;
}

/** An open connection to another forest. */
interface PeerConnection {
  readonly peer: SyncPeer;
  /** The address, without anything secret. */
  readonly name: string;
  close(): Promise<void>;
}

interface PeerOptions {
  readonly project: string;
  readonly token: string | undefined;
  /** The file with the key for a place that is encrypted. */
  readonly key?: string | undefined;
}

/** What begins as an address does; a single letter is a drive. */
const LIKE_ADDRESS = /^[\w.@-]{2,}:/;

/** A folder that is not there is made for what is sent. Whoever only receives has mistyped its name. */
function requireFolder(where: string): void {
  if (!LIKE_ADDRESS.test(where) && !existsSync(where))
    throw new CommandError('store_name', `There is no folder ${toPrintable(resolve(where))} to receive from.`);
}

/** Opens the other forest: a folder, a server, a folder of another machine, a branch, or a database. */
export async function openPeer(where: string, { project, token, key }: PeerOptions): Promise<PeerConnection> {
  const [, variable] = /^postgres:(.*)$/.exec(where) ?? [];
  const isElsewhere = /^https?:\/\//.test(where) || where.startsWith('ssh:') || variable !== undefined;
  if (isElsewhere && key !== undefined)
    throw new UsageError(
      'A key encrypts what a folder or a branch keeps. Another skein reads what it is sent: leave --key out.',
    );
  if (where.startsWith('git:')) return openBranch(where, { project, key });
  if (where.startsWith('ssh:')) return openSsh(where, project);
  if (variable !== undefined) return openDatabase(variable, project);
  if (isElsewhere) return openServer(where, token);
  const folder = resolve(where);
  if (LIKE_ADDRESS.test(where) && !existsSync(folder))
    throw new UsageError(
      `"${toPrintable(where)}" is neither a folder nor an address: write https://server, ssh:host:folder, git:repository#branch, or postgres:VARIABLE.`,
    );
  if (key !== undefined || existsSync(join(folder, PACKS)))
    return openPacks(folderPacks(folder), folder, { project, key });
  const forest = await openForest(folder, { project });
  return { peer: storePeer(forest.store), name: folder, close: () => forest.close() };
}

async function openDatabase(variable: string, project: string): Promise<PeerConnection> {
  const forest = await openForest(storeAddress({ kind: 'postgres', variable }, process.env), { project });
  return { peer: storePeer(forest.store), name: `postgres:${variable}`, close: () => forest.close() };
}

/** What a folder with packs has, in contrast to a folder with a forest. */
const PACKS = 'skein.json';

async function openPacks(
  place: PackStorage,
  name: string,
  { project, key }: Pick<PeerOptions, 'project' | 'key'>,
): Promise<PeerConnection> {
  if (key !== undefined) {
    // What is encrypted there is kept nowhere else in plain text.
    const cipher = await (await import('./sync-key.ts')).readKey(key);
    return { peer: packPeer(place, { project, cipher }), name, close: async () => undefined };
  }
  const kept = openPackCache(name, project);
  const peer = packPeer(place, { project, ...(kept && { cache: kept.cache }) });
  return { peer, name, close: async () => kept?.close() };
}

async function openBranch(where: string, options: Pick<PeerOptions, 'project' | 'key'>): Promise<PeerConnection> {
  const [, repository = '', branch = 'skein'] = /^git:([^#]+)(?:#(.+))?$/s.exec(where) ?? [];
  if (repository === '') throw new UsageError(`"${where}" is not an address: write git:repository#branch.`);
  const folder = resolve(repository);
  if (!existsSync(folder)) throw new CommandError('store_name', `There is no repository ${toPrintable(folder)}.`);
  return openPacks(await gitPacks(folder, branch), `git:${folder}#${branch}`, options);
}

function openServer(where: string, token: string | undefined): PeerConnection {
  const address = new URL('api/v1/sync', where.endsWith('/') ? where : `${where}/`);
  if (address.username !== '' || address.password !== '')
    throw new UsageError(
      'Leave the password out of the address: put the token into a variable, and name it with --token.',
    );
  const send = async (call: SyncCall) => {
    const response = await fetch(address, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(token !== undefined && { authorization: `Bearer ${token}` }) },
      body: JSON.stringify(call),
      redirect: 'error',
    }).catch((error: Error) => {
      throw new CommandError(
        'connection',
        `${address.origin} cannot be reached: ${String(error.cause ?? error.message)}`,
      );
    });
    const body = (await response.json().catch(() => ({}))) as { code?: string; detail?: string };
    if (response.ok) return body;
    if (response.status === 404)
      throw new CommandError(
        'sync_version',
        `${address.origin} has no sync: it is older, or no Skein. Nothing was written.`,
      );
    if (response.status === 401)
      throw new CommandError(
        'token_needed',
        token === undefined
          ? `${address.origin} needs a token: set SKEIN_TOKEN, or name another variable with --token. Nothing was written.`
          : `${address.origin} refuses the token. Nothing was written.`,
      );
    const code = body.code === 'sync_version' ? 'sync_version' : 'sync_refused';
    throw new CommandError(
      code,
      `${address.origin} refuses (${response.status}): ${body.detail ?? 'it does not say why.'}`,
    );
  };
  return { peer: remotePeer(send), name: address.origin, close: async () => undefined };
}

/** Starts `skein sync --stdio` at the other end, as git does. `SKEIN_SSH` names another program than ssh. */
function openSsh(where: string, project: string): PeerConnection {
  const [, host = '', folder = ''] = /^ssh:([^:]*):(.+)$/s.exec(where) ?? [];
  // A host that begins with a dash would be an option of ssh.
  if (!/^[\w.@[\]][\w.@[\]-]*$/.test(host) || folder === '')
    throw new UsageError(`"${where}" is not an address: write ssh:host:folder.`);
  const command = `skein sync --stdio --store ${quote(folder)} --project ${quote(project)}`;
  const child = spawn(process.env.SKEIN_SSH || 'ssh', [host, command], { stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = new Promise<string>((done) => {
    child.once('error', (error) => done(error.message));
    child.once('close', (code) => done(`it ended with code ${code}`));
  });
  child.stdin.on('error', () => undefined);
  const lines = createInterface({ input: child.stdout, crlfDelay: Number.POSITIVE_INFINITY })[Symbol.asyncIterator]();
  const send = async (call: SyncCall) => {
    child.stdin.write(`${JSON.stringify(call)}\n`);
    const { value, done } = await lines.next();
    if (done) throw new CommandError('connection', `The skein at ${host} does not answer: ${await ended}.`);
    const { error, ...answer } = parseLine(value, host);
    if (error)
      throw new CommandError(
        error.code === 'sync_version' ? 'sync_version' : 'sync_refused',
        `${host}: ${error.message}`,
      );
    return answer;
  };
  return {
    // One call at a time, so that answers and calls stay in order.
    peer: remotePeer(oneByOne(send)),
    name: where,
    async close() {
      child.stdin.end();
      await ended;
    },
  };
}

function oneByOne<T, R>(send: (value: T) => Promise<R>): (value: T) => Promise<R> {
  let last: Promise<unknown> = Promise.resolve();
  return (value) => {
    const next = last.catch(() => undefined).then(() => send(value));
    last = next;
    return next;
  };
}

function parseLine(line: string, host: string): { error?: { code?: string; message?: string } } {
  try {
    return JSON.parse(line);
  } catch {
    throw new CommandError(
      'sync_version',
      `${host} answers "${toPrintable(line.slice(0, 80))}": its skein is older, or its shell prints something. Nothing was written.`,
    );
  }
}

/** For a POSIX shell. */
function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
