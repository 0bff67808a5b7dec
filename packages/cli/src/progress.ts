/** Tells how far something is, on standard error: on a terminal one line that changes, elsewhere nothing until the end. */
export interface ProgressLine {
  tell(line: string): void;
  /** Takes the line away, so that what follows stands alone. */
  end(): void;
}

const EVERY_MS = 100;

export function progressLine(): ProgressLine {
  if (!process.stderr.isTTY) return { tell: () => undefined, end: () => undefined };
  let last = 0;
  return {
    tell(line) {
      if (Date.now() - last < EVERY_MS) return;
      last = Date.now();
      process.stderr.write(`\r\x1b[2K${line}`);
    },
    end: () => process.stderr.write('\r\x1b[2K'),
  };
}
