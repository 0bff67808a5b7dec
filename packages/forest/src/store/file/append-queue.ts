import type { StoreRecord } from '../../model/index.ts';

const MOST_RECORDS = 20_000;

interface Waiting {
  readonly records: readonly StoreRecord[];
  resolve(): void;
  reject(error: unknown): void;
}

/**
 * Group commit: while one batch is on its way to the disk, what is appended meanwhile gathers, and goes together as the
 * next one. A batch that fails is tried again piece by piece, so that one too large for the disk fails alone.
 */
export function createAppendQueue(commit: (records: readonly StoreRecord[]) => Promise<void>) {
  let waiting: Waiting[] = [];
  let running: Promise<void> | undefined;

  const run = async () => {
    while (waiting.length > 0) {
      const group = nextGroup();
      try {
        await commit(group.flatMap(({ records }) => records));
        for (const { resolve } of group) resolve();
      } catch (error) {
        if (group.length === 1) group[0]!.reject(error);
        else for (const one of group) await commit(one.records).then(one.resolve, one.reject);
      }
    }
    running = undefined;
  };
  const nextGroup = () => {
    let count = 0;
    let length = 0;
    while (length < waiting.length && (length === 0 || count < MOST_RECORDS))
      count += waiting[length++]!.records.length;
    const group = waiting.slice(0, length);
    waiting = waiting.slice(length);
    return group;
  };

  return {
    append: (records: readonly StoreRecord[]): Promise<void> =>
      new Promise<void>((resolve, reject) => {
        waiting.push({ records, resolve, reject });
        running ??= run();
      }),
    /** When nothing is on its way. */
    idle: async (): Promise<void> => running,
  };
}
