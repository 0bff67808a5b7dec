import { open, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Who tells of a wish to end. */
type Signals = Pick<NodeJS.EventEmitter, 'on' | 'removeListener'>;

const ENDING = ['SIGINT', 'SIGTERM'] as const;

/** A new file, which appears when it is complete. Ctrl+C leaves nothing behind. */
export async function writeFile(path: string, parts: AsyncIterable<string>, signals: Signals = process): Promise<void> {
  if (await stat(path).catch(() => undefined)) throw new Error(`${path} is there already: give a new name.`);
  const draft = `${path}.${process.pid}.tmp`;
  const file = await open(draft, 'wx').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') throw new Error(`There is no folder ${dirname(path)}: make it, or give another name.`);
    throw Object.assign(error, { path });
  });
  let isStopped = false;
  const stop = () => {
    isStopped = true;
  };
  for (const signal of ENDING) signals.on(signal, stop);
  try {
    for await (const part of parts) {
      if (isStopped) throw new Error(`Stopped: ${path} was not written.`);
      await file.write(part);
    }
    await file.sync();
    await file.close();
    await rename(draft, path);
  } catch (error) {
    await file.close().catch(() => undefined);
    await rm(draft, { force: true });
    throw error;
  } finally {
    for (const signal of ENDING) signals.removeListener(signal, stop);
  }
}
