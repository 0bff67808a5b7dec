import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileStore, type PackCache, type Store } from '@skein/forest';

/** What was read of a place with packs, below `$XDG_CACHE_HOME/skein` or `~/.cache/skein`. It may be deleted at any time. */
interface OpenPackCache {
  readonly cache: PackCache;
  close(): Promise<void>;
}

/** Undefined while another process uses the cache of this place: it then reads all files. */
export function openPackCache(place: string, project: string): OpenPackCache | undefined {
  const name = createHash('sha256').update(`${place}\n${project}`).digest('hex').slice(0, 24);
  const folder = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'skein', 'packs', name);
  const lock = `${folder}.lock`;
  try {
    mkdirSync(join(folder, '..'), { recursive: true, mode: 0o700 });
    takeLock(lock);
  } catch {
    return undefined;
  }
  let store: Store | undefined;
  const open = async () => {
    store = await fileStore(folder, { project: 'packs' });
    return store;
  };
  return {
    cache: {
      open: () => open().catch(empty),
      reset: () => empty(),
    },
    async close() {
      await store?.close();
      rmSync(lock, { force: true });
    },
  };

  async function empty(): Promise<Store> {
    await store?.close();
    rmSync(folder, { recursive: true, force: true });
    return open();
  }
}

/** Throws if a living process has the lock. */
function takeLock(path: string): void {
  try {
    writeFileSync(path, String(process.pid), { flag: 'wx', mode: 0o600 });
  } catch (error) {
    if (isAlive(Number(readFileSync(path, 'utf8')))) throw error;
    rmSync(path);
    writeFileSync(path, String(process.pid), { flag: 'wx', mode: 0o600 });
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
