import { randomBytes } from 'node:crypto';
import { readFile, readlink } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { type Files, systemCode } from './disk.ts';

const BEAT_MS = 10_000;
const SILENT_MS = 60_000;

/** What a writer leaves beside its segments while it lives. */
interface Sign {
  readonly pid: number;
  /** When the process began, in the kernel's count: a later process with the same number has another. */
  readonly started: string;
  /** Of the kernel that runs it, and of the space in which its number means something. */
  readonly boot: string;
  readonly space: string;
  readonly host: string;
}

/**
 * `alive` and `dead` are certain for a process of this machine. Of others only the beat is known: while it is heard
 * they are alive, after a minute `silent`. `none`: no sign, so it has ended, or its segments were copied here.
 */
export type Life = 'alive' | 'dead' | 'silent' | 'none';

/** Leaves a sign of life; the function takes it away. */
export async function showLife(files: Files, folder: string, writer: string): Promise<() => Promise<void>> {
  const path = signPath(folder, writer);
  await files.rename(await draftSign(files, folder, path), path);
  return keepBeating(files, path);
}

/**
 * The same for a name that one process has at a time; undefined when another one has it. What a dead one left is
 * taken away.
 */
export async function claimLife(
  files: Files,
  folder: string,
  name: string,
): Promise<(() => Promise<void>) | undefined> {
  const path = signPath(folder, name);
  const there = await files.stat(path);
  if (there && (await readLife(files, folder, name)) === 'alive') return undefined;
  if (there && !(await takeAway(files, path, there.file))) return undefined;
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

/** What a disk says that has no second names. */
const NO_LINKS = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK']);

/** Whether it was still the same file: another process may have put its own in its place meanwhile. */
async function takeAway(files: Files, path: string, file: number): Promise<boolean> {
  const aside = `${path}.${randomBytes(4).toString('hex')}`;
  try {
    await files.rename(path, aside);
  } catch {
    return false;
  }
  const isIt = (await files.stat(aside))?.file === file;
  if (!isIt) await files.link(aside, path).catch(() => undefined);
  await files.remove(aside);
  return isIt;
}

/** A sign under another name. Whole or not at all: of one that cannot be read nobody knows whether its writer lives. */
async function draftSign(files: Files, folder: string, path: string): Promise<string> {
  const sign: Sign = { pid: process.pid, host: hostname(), ...(await readIdentity(process.pid)) };
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

export async function readLife(files: Files, folder: string, writer: string): Promise<Life> {
  if (!/^[\w-]+$/.test(writer)) return 'none';
  const path = signPath(folder, writer);
  const stat = await files.stat(path);
  if (!stat) return 'none';
  const sign = await readSignAt(files, path, stat.size);
  const own = await readIdentity(process.pid);
  if (sign && sign.boot === own.boot && sign.space === own.space && (sign.boot !== '' || sign.host === hostname())) {
    if (sign.boot === '') return isRunning(sign.pid) ? 'alive' : 'dead';
    return (await readIdentity(sign.pid)).started === sign.started ? 'alive' : 'dead';
  }
  return Math.abs(Date.now() - stat.changedMs) > SILENT_MS ? 'silent' : 'alive';
}

/** A writer for people: its process, as far as its sign can be read. */
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

/** Empty texts where the system does not tell. */
async function readIdentity(pid: number): Promise<Pick<Sign, 'started' | 'boot' | 'space'>> {
  const [stat, boot, space] = await Promise.all([
    readFile(`/proc/${pid}/stat`, 'utf8').catch(() => ''),
    readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(() => ''),
    readlink('/proc/self/ns/pid').catch(() => ''),
  ]);
  // The name of the program stands in parentheses and may have any character; the 20th field behind it is the start.
  const started = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '';
  return { started, boot: boot.trim(), space };
}

/** Without /proc a number that was given to another process looks alive: less is certain, nothing is wrong. */
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
