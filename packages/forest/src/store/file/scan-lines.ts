import { type BatchMark, type Header, type Line, markAt, readLine, readSegmentLine } from './format.ts';
import { readHexBytes } from './hex.ts';

const LINE_FEED = 10;
const QUOTE = 34;
const MARK_START = Buffer.from('{"~":"');
const BODY = Buffer.from('"k":"body","digest":"');
const BODY_MIDDLE = Buffer.from('","text":"');
const BODY_END = Buffer.from('"}');
const DIGEST_DIGITS = 64;

/** What a reader of lines is told; `start` and `length` are the line's place without its line feed. */
export interface LineSink {
  /** A body, which was not parsed: `digest` holds its bytes until the next call. */
  body(digest: Uint8Array, mark: BatchMark | undefined, start: number, length: number): void;
  record(line: Line, start: number, length: number): void;
  /** A line about the segment itself. */
  other(said: Header | 'other'): void;
  damaged(bytes: Buffer, start: number): void;
}

/**
 * Goes through the whole lines of `bytes`, which stand at `base` in the file; how many bytes those were. When it is
 * `thorough`, bodies are parsed, too, and come as records.
 */
export function scanLines(bytes: Buffer, base: number, sink: LineSink, thorough: boolean): number {
  const digest = new Uint8Array(DIGEST_DIGITS / 2);
  // Bytes that never reached the disk read as zeros, and JSON has none.
  let zero = bytes.indexOf(0);
  let start = 0;
  for (let end = bytes.indexOf(LINE_FEED); end >= 0; end = bytes.indexOf(LINE_FEED, start)) {
    if (zero >= 0 && zero < start) zero = bytes.indexOf(0, start);
    const isWhole = zero < 0 || zero > end;
    if (end > start) readOne(bytes, start, end, isWhole);
    start = end + 1;
  }
  return start;

  function readOne(bytes: Buffer, start: number, end: number, isWhole: boolean): void {
    const place = base + start;
    const body = isWhole && !thorough ? bodyAt(bytes, start, end) : -1;
    if (body >= 0 && readHexBytes(bytes, body, digest, digest.length)) {
      const isMarked = isAt(bytes, start, MARK_START);
      const mark = isMarked ? markAt(bytes.toString('latin1', start, body - BODY.length)) : undefined;
      if (mark || !isMarked) {
        sink.body(digest, mark, place, end - start);
        return;
      }
    }
    const own = bytes.subarray(start, end);
    const line = isWhole ? readLine(own) : undefined;
    const said = line ? undefined : readSegmentLine(own);
    if (line) sink.record(line, place, end - start);
    else if (said) sink.other(said);
    else sink.damaged(own, place);
  }
}

/** Where the digest of a body begins in a line that our writer wrote; -1 for any other line. */
function bodyAt(bytes: Buffer, start: number, end: number): number {
  let at = start + 1;
  if (isAt(bytes, start, MARK_START)) {
    const quote = bytes.indexOf(QUOTE, start + MARK_START.length);
    at = quote + 2;
  }
  if (!isAt(bytes, at, BODY)) return -1;
  const digest = at + BODY.length;
  if (!isAt(bytes, digest + DIGEST_DIGITS, BODY_MIDDLE) || !isAt(bytes, end - BODY_END.length, BODY_END)) return -1;
  return digest + DIGEST_DIGITS + BODY_MIDDLE.length <= end ? digest : -1;
}

function isAt(bytes: Buffer, at: number, expected: Buffer): boolean {
  for (let index = 0; index < expected.length; index++) if (bytes[at + index] !== expected[index]) return false;
  return true;
}
