import { fstatSync } from 'node:fs';
import { buffer } from 'node:stream/consumers';

let reading: Promise<Buffer> | undefined;

/** Everything on standard input. It can be read once, so every caller gets the same bytes. */
export function readInput(): Promise<Buffer> {
  reading ??= buffer(process.stdin);
  return reading;
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
