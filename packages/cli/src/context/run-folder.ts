import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, open, readFile, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** An empty folder for one run of a program. */
export interface RunFolder {
  readonly path: string;
  /** Removes it. */
  release(): Promise<void>;
}

/**
 * Makes the folder of a run. Its path is the same in every run of the same purpose: agents tell the model where their files
 * are, and a prompt that differs from the last one loses the cache and the reasoning that is bound to it. While another run
 * has that folder, or somebody else's is in its place, the path is a new one.
 */
export async function claimRunFolder(purpose: string): Promise<RunFolder> {
  const user = process.getuid?.() ?? '';
  const name = createHash('sha256').update(`${user}\n${purpose}`).digest('hex').slice(0, 12);
  const path = join(tmpdir(), `skein-agent-${name}`);
  const lock = `${path}.lock`;
  if (!((await takeLock(lock)) || ((await isLeft(lock)) && (await takeLock(lock))))) return newFolder();
  const release = async () => {
    await rm(path, { recursive: true, force: true });
    await rm(lock, { force: true });
  };
  try {
    // What a run that crashed left there stays, under another name.
    await rename(path, `${path}-left-${Date.now()}`).catch(ignoreMissing);
    await mkdir(path, { mode: 0o700 });
    return { path, release };
  } catch {
    await rm(lock, { force: true });
    return newFolder();
  }
}

async function newFolder(): Promise<RunFolder> {
  const path = await mkdtemp(join(tmpdir(), 'skein-agent-'));
  return { path, release: () => rm(path, { recursive: true, force: true }) };
}

/** The lock names the process that has it. */
async function takeLock(lock: string): Promise<boolean> {
  try {
    const file = await open(lock, 'wx', 0o600);
    await file.writeFile(String(process.pid));
    await file.close();
    return true;
  } catch {
    return false;
  }
}

/** Removes the lock of a process that is no more. */
async function isLeft(lock: string): Promise<boolean> {
  const pid = Number(await readFile(lock, 'utf8').catch(() => ''));
  if (!Number.isSafeInteger(pid) || pid <= 0 || isRunning(pid)) return false;
  await rm(lock, { force: true }).catch(() => undefined);
  return true;
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function ignoreMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error;
}
