import { join } from 'node:path';
import type { StoreRecord } from '../model/records.ts';
import { diskFiles, type Files } from '../store/file/disk.ts';
import { createRecordLog, type RecordLog, readRecordLog } from '../store/file/record-log.ts';
import { exchangesIn } from './waiting-records.ts';

/** The files of a folder in which recordings wait for their store. Each process has files of its own. */
export interface WaitingFiles {
  /** Rejects where the folder cannot be written; then nothing was written. */
  append(records: readonly StoreRecord[]): Promise<void>;
  /** Takes the files of writers that have ended, and tells whether living ones have some. */
  adopt(isAlive: (writer: string) => Promise<boolean>): Promise<boolean>;
  /** Hands over everything that waits by now, and removes each file that was handed over completely. */
  drain(store: (records: readonly StoreRecord[]) => Promise<void>): Promise<void>;
  readonly isEmpty: boolean;
  /** The exchanges in the files of this process, as far as it wrote or read them. */
  exchanges(): ReadonlySet<string>;
  close(): Promise<void>;
}

/** A file, and the exchanges that are known to be in it. */
interface WaitingFile {
  readonly log: Promise<RecordLog>;
  readonly exchanges: Set<string>;
}

const DAMAGED = '.damaged';

/** `onDamaged` hears of a file with lines that cannot be read. It is kept under another name. */
export function createWaitingFiles(
  folder: string,
  writer: string,
  { files = diskFiles(), onDamaged }: { readonly files?: Files | undefined; onDamaged(message: string): void },
): WaitingFiles {
  let current: WaitingFile | undefined;
  /** Files to which nothing is added any more, by their paths. */
  const complete = new Map<string, Set<string>>();
  let count = 0;
  const nextName = () => {
    count += 1;
    return `${encodeURIComponent(writer)}.${count}.jsonl`;
  };

  /** From now on, records go to another file. */
  const completeCurrent = async (): Promise<void> => {
    if (!current) return;
    const { log, exchanges } = current;
    current = undefined;
    const { path, close } = await log;
    complete.set(path, exchanges);
    await close();
  };

  const drainComplete = async (store: (records: readonly StoreRecord[]) => Promise<void>): Promise<void> => {
    for (const [path, exchanges] of complete) {
      const reading = readRecordLog(files, path);
      let part = await reading.next();
      for (; !part.done; part = await reading.next()) {
        for (const id of exchangesIn(part.value)) exchanges.add(id);
        await store(part.value);
      }
      if (part.value === 0) await files.remove(path);
      else {
        await files.rename(path, `${path}${DAMAGED}`);
        onDamaged(`${part.value} lines of ${path}${DAMAGED} are damaged; all others are stored.`);
      }
      complete.delete(path);
    }
  };

  return {
    async append(records) {
      current ??= { log: createRecordLog(files, folder, { name: nextName(), writer }), exchanges: new Set() };
      const to = current;
      try {
        await (await to.log).append(records);
      } catch (error) {
        // The next one tries with another file, if this one has nothing.
        if (current === to && to.exchanges.size === 0) {
          current = undefined;
          await to.log.then(
            async ({ path, close }) => {
              await close();
              await files.remove(path);
            },
            () => undefined,
          );
        }
        throw error;
      }
      for (const id of exchangesIn(records)) to.exchanges.add(id);
    },
    async adopt(isAlive) {
      let isSomeoneAlive = false;
      for (const name of await files.list(folder)) {
        const owner = readOwner(name);
        if (owner === undefined || owner === writer) continue;
        if (await isAlive(owner)) {
          isSomeoneAlive = true;
          continue;
        }
        const path = join(folder, nextName());
        // Of two processes, the first one gets it.
        const isOurs = await files.rename(join(folder, name), path).then(
          () => true,
          () => false,
        );
        if (isOurs) complete.set(path, new Set());
      }
      return isSomeoneAlive;
    },
    async drain(store) {
      // An outage that goes on is noticed at the complete files, and the current one is not completed at every try.
      await drainComplete(store);
      await completeCurrent();
      await drainComplete(store);
    },
    get isEmpty() {
      return current === undefined && complete.size === 0;
    },
    exchanges: () => new Set([...(current?.exchanges ?? []), ...[...complete.values()].flatMap((ids) => [...ids])]),
    close: completeCurrent,
  };
}

/** The writer that a file belongs to; undefined for a file of something else. */
function readOwner(name: string): string | undefined {
  const [, owner] = /^(.+)\.\d+\.jsonl$/.exec(name) ?? [];
  return owner === undefined ? undefined : decodeURIComponent(owner);
}
