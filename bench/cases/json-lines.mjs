// The floor of a store: JSON lines appended to one file with the same group commit and flush, and Maps to find them.
import { open } from 'node:fs/promises';

/** @param {string} path */
export async function jsonLines(path) {
  const handle = await open(path, 'a');
  const found = new Map();
  /** @type {{ text: string, resolve: () => void }[]} */
  let waiting = [];
  let isRunning = false;

  async function run() {
    isRunning = true;
    while (waiting.length > 0) {
      const group = waiting;
      waiting = [];
      await handle.write(group.map(({ text }) => text).join(''));
      await handle.datasync();
      for (const { resolve } of group) resolve();
    }
    isRunning = false;
  }

  return {
    /** @param {readonly Record<string, any>[]} records */
    append(records) {
      let text = '';
      for (const record of records) {
        text += `${JSON.stringify(record)}\n`;
        found.set(record.id ?? record.digest, record);
      }
      return new Promise((resolve) => {
        waiting.push({ text, resolve: () => resolve(undefined) });
        if (!isRunning) run();
      });
    },
    close: () => handle.close(),
  };
}
