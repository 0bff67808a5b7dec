/** Tells how far something is, on standard error: on a terminal one line that changes, elsewhere nothing until the end. */
export interface ProgressLine {
  /** With how much of it is done, from 0 to 1, where that is known. */
  tell(line: string, share?: number): void;
  /** Takes the line away, so that what follows stands alone. */
  end(): void;
}

const EVERY_MS = 100;
const WIDTH = 24;

export function progressLine(): ProgressLine {
  if (!process.stderr.isTTY) return { tell: () => undefined, end: () => undefined };
  let last = 0;
  return {
    tell(line, share) {
      if (Date.now() - last < EVERY_MS) return;
      last = Date.now();
      process.stderr.write(`\r\x1b[2K${share === undefined ? '' : `${bar(share)} `}${line}`);
    },
    end: () => process.stderr.write('\r\x1b[2K'),
  };
}

/** For work that does not say how far it is: shows that it goes on. */
export async function withProgress<T>(line: string, work: () => Promise<T>): Promise<T> {
  const progress = progressLine();
  const started = Date.now();
  const seconds = () => Math.round((Date.now() - started) / 1000);
  progress.tell(line);
  const ticking = setInterval(() => progress.tell(`${line} (${seconds()} s)`), 1000);
  try {
    return await work();
  } finally {
    clearInterval(ticking);
    progress.end();
  }
}

export function bar(share: number): string {
  const done = Math.min(1, Math.max(0, share));
  const full = Math.round(done * WIDTH);
  return `${'█'.repeat(full)}${'░'.repeat(WIDTH - full)} ${`${Math.floor(done * 100)}`.padStart(3)} %`;
}
