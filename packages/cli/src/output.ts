import colors from 'picocolors';

/** One line for a person on standard output. */
export function say(line = ''): void {
  process.stdout.write(`${line}\n`);
}

/** One line that is not part of the result. */
export function warn(line: string): void {
  process.stderr.write(`${colors.yellow(line)}\n`);
}

/** An error in one line; the rest only where it was asked for. */
export function failWith(error: unknown, verbose: boolean): void {
  const message = error instanceof Error ? error.message : String(error);
  process.stderr.write(`${colors.red('skein:')} ${message}\n`);
  if (verbose && error instanceof Error) process.stderr.write(`${error.stack}\n`);
  process.exitCode = 1;
}
