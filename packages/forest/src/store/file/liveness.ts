import { randomBytes } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { type FileStat, type Files, systemCode } from './disk.ts';

const BEAT_MS = 10_000;
const SILENT_MS = 60_000;

/** The file that a writer keeps beside its segments while it is alive. */
interface Sign {
  readonly pid: number;
  /** The start time of the process by the kernel; a later process with the same pid has another one. */
  readonly started: string;
  /** The boot id of the kernel, and the namespace in which the pid is valid. */
  readonly boot: string;
  readonly space: string;
  readonly host: string;
}

/**
 * `alive` and `dead` are certain for processes of this machine. Of others only the heartbeat is known: they are `alive`
 * while it comes, and `silent` after a minute without it. `none`: there is no sign, so the writer has ended, or its
 * segments were copied here.
 */
export type WriterStatus = 'alive' | 'dead' | 'silent' | 'none';

/** Shows that a writer is alive; returns a function that removes the sign. */
export async function showLife(files: Files, folder: string, writer: string): Promise<() => Promise<void>> {
  const path = signPath(folder, writer);
  await files.rename(await draftSign(files, folder, path), path);
  return keepBeating(files, path);
}

/**
 * The same for a name that only one process may hold; undefined if another process holds it. The sign of a dead process
 * is removed.
 */
export async function claimLife(
  files: Files,
  folder: string,
  name: string,
): Promise<(() => Promise<void>) | undefined> {
  const path = signPath(folder, name);
  const there = await files.stat(path);
  if (there && (await readLife(files, folder, name)) === 'alive') return undefined;
  if (there && !(await takeAway(files, path, there))) return undefined;
  const draft = await draftSign(files, folder, path);
  try {
    await files.link(draft, path);
  } catch (error) {
    const code = systemCode(error);
    if (code === 'EEXIST') return undefined;
    if (!NO_LINKS.has(code)) throw error;
    await files.rename(draft, path);
  } finally {
    await files.remove(draft);
  }
  return keepBeating(files, path);
}

/** Error codes of file systems without hard links. */
const NO_LINKS = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK']);

/** Removes a sign. Returns false if another process has replaced it meanwhile. */
async function takeAway(files: Files, path: string, known: FileStat): Promise<boolean> {
  const aside = `${path}.${randomBytes(4).toString('hex')}`;
  try {
    await files.rename(path, aside);
  } catch {
    return false;
  }
  const found = await files.stat(aside);
  // The number of a removed file is soon that of another.
  const isIt = found?.file === known.file && found.changedMs === known.changedMs;
  const code = isIt ? '' : await files.link(aside, path).then(() => '', systemCode);
  if (NO_LINKS.has(code)) await files.rename(aside, path);
  else await files.remove(aside);
  return isIt;
}

/** Writes a sign under a temporary name, because a half-written sign would be unreadable. */
async function draftSign(files: Files, folder: string, path: string): Promise<string> {
  const sign: Sign = { pid: process.pid, host: hostname(), ...readIdentity(process.pid) };
  await files.makeFolder(folder);
  const draft = `${path}.${randomBytes(4).toString('hex')}`;
  await files.write(draft, Buffer.from(`${JSON.stringify(sign)}\n`));
  return draft;
}

function keepBeating(files: Files, path: string): () => Promise<void> {
  const beat = setInterval(() => files.touch(path).catch(() => undefined), BEAT_MS);
  beat.unref();
  return async () => {
    clearInterval(beat);
    await files.remove(path);
  };
}

export async function readLife(files: Files, folder: string, writer: string): Promise<WriterStatus> {
  if (!/^[\w-]+$/.test(writer)) return 'none';
  const path = signPath(folder, writer);
  const stat = await files.stat(path);
  if (!stat) return 'none';
  const sign = await readSignAt(files, path, stat.size);
  const own = readIdentity(process.pid);
  if (sign && sign.boot === own.boot && sign.space === own.space && (sign.boot !== '' || sign.host === hostname())) {
    if (sign.boot === '') return isRunning(sign.pid) ? 'alive' : 'dead';
    return readIdentity(sign.pid).started === sign.started ? 'alive' : 'dead';
  }
  return Math.abs(Date.now() - stat.changedMs) > SILENT_MS ? 'silent' : 'alive';
}

/** Describes a writer for people: its process, if its sign can be read. */
export async function describeWriter(files: Files, folder: string, writer: string): Promise<string> {
  const path = signPath(folder, writer);
  const sign = await readSignAt(files, path, (await files.stat(path))?.size ?? 0);
  return sign ? `Process ${sign.pid} on ${sign.host}` : `Writer ${writer}`;
}

async function readSignAt(files: Files, path: string, size: number): Promise<Sign | undefined> {
  return readSign(await files.read(path, 0, size).catch(() => Buffer.alloc(0)));
}

function signPath(folder: string, writer: string): string {
  return join(folder, `${writer}.json`);
}

/** Identifies a process; empty texts if the system does not tell. The kernel answers from memory, so there is nothing to wait for. */
function readIdentity(pid: number): Pick<Sign, 'started' | 'boot' | 'space'> {
  const stat = orEmpty(() => readFileSync(`/proc/${pid}/stat`, 'utf8'));
  const boot = orEmpty(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8'));
  const space = orEmpty(() => readlinkSync('/proc/self/ns/pid'));
  // The program's name is in parentheses and may contain any character; the 20th field after it is the start time.
  const started = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '';
  return { started, boot: boot.trim(), space };
}

function orEmpty(read: () => string): string {
  try {
    return read();
  } catch {
    return '';
  }
}

/** Without /proc, a reused pid looks alive, which is safe. */
function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

function readSign(bytes: Buffer): Sign | undefined {
  try {
    const sign = JSON.parse(bytes.toString()) as Partial<Sign> | null;
    const isWhole =
      Number.isInteger(sign?.pid) &&
      [sign?.started, sign?.boot, sign?.space, sign?.host].every((member) => typeof member === 'string');
    return isWhole ? (sign as Sign) : undefined;
  } catch {
    return undefined;
  }
}
