import { fstatSync } from 'node:fs';
import { buffer } from 'node:stream/consumers';
import { note } from '../output/output.ts';

/** Some programs start others with an input that they never end. After this time a person is told what is waited for. */
const PATIENCE = 3000;

let reading: Promise<Buffer> | undefined;

/** Everything on standard input. It can be read once, so every caller gets the same bytes. */
export function readInput(): Promise<Buffer> {
  reading ??= readAll();
  return reading;
}

async function readAll(): Promise<Buffer> {
  const timer = setTimeout(
    () => note('Waiting for standard input to end. Without any input, start the command with </dev/null.'),
    PATIENCE,
  );
  try {
    return await buffer(process.stdin);
  } finally {
    clearTimeout(timer);
  }
}

/** Whether something was sent to standard input: it is a pipe, a file or a socket, not a terminal or `/dev/null`. */
export function hasInput(): boolean {
  try {
    const kind = fstatSync(0);
    return kind.isFIFO() || kind.isFile() || kind.isSocket();
  } catch {
    return false;
  }
}
