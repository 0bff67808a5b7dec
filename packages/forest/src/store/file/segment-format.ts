import { crc32 } from 'node:zlib';
import { appendEscaped, appendEscapedBytes, type ByteSink } from '../../model/escape-json.ts';
import { type StoreRecord, utf8Bytes } from '../../model/records.ts';
import { isEntry, isRecord } from '../records.ts';

/** The format version in the first line of a segment. A store that finds a higher one becomes read-only. */
export const SEGMENT_VERSION = 1;

/**
 * The position of a line in its batch. A batch is valid only if all its lines are there. A batch of one line needs no
 * mark.
 */
export interface BatchMark {
  readonly batch: number;
  readonly line: number;
  readonly lines: number;
}

export function headerLine(writer: string): string {
  return `${JSON.stringify({ skein: 'segment', version: SEGMENT_VERSION, writer, sums: 'crc32' })}\n`;
}

/** The last line of a writer that ended normally. */
export const END_LINE = '{"skein":"end"}\n';

/** The first line of a segment. */
export interface Header {
  readonly version: number;
  readonly writer: string;
  /** Whether every record has a checksum, except bodies, which have their digest. */
  readonly hasSums: boolean;
}

/** Reads a line about the segment itself; undefined for any other line. After a merge such lines may be anywhere. */
export function readSegmentLine(bytes: Buffer): Header | 'other' | undefined {
  if (!bytes.subarray(0, SEGMENT_START.length).equals(SEGMENT_START)) return undefined;
  const value = parse(bytes.toString()) as Record<string, unknown> | undefined;
  if (!value) return undefined;
  const { skein, version, writer, sums } = value;
  if (skein !== 'segment') return 'other';
  const isHeader = Number.isInteger(version) && Number(version) > 0 && typeof writer === 'string';
  return isHeader ? { version: Number(version), writer, hasSums: sums === 'crc32' } : undefined;
}

const SEGMENT_START = Buffer.from('{"skein":');

/** The lines of a batch, one behind the other. Each ends with a line feed and contains no other. */
export interface BatchLines {
  readonly bytes: Buffer;
  /** The length of each line, with its line feed. */
  readonly lengths: readonly number[];
}

/** Encodes a batch, behind a header if it begins a segment. The bytes are those of the encoder, until its next batch. */
export function encodeBatch(
  records: readonly StoreRecord[],
  batch: number,
  header = '',
  encoder = new LineEncoder(),
): BatchLines {
  encoder.begin();
  encoder.write(header);
  const lengths: number[] = [];
  for (const [line, record] of records.entries()) {
    const start = encoder.size;
    encoder.record(record, records.length === 1 ? '{' : `{"~":"${batch}.${line}.${records.length}",`);
    lengths.push(encoder.size - start);
  }
  return { bytes: encoder.bytes(), lengths };
}

/** A record as the only line of a batch. */
export function recordLine(record: StoreRecord): string {
  return encodeBatch([record], 0).bytes.toString();
}

/** A buffer up to this size is kept for the next batch: a new one for every batch keeps the garbage collector busy. */
const KEPT_BYTES = 2 ** 22;
/** A text from this length on is escaped as bytes: for a shorter one, `JSON.stringify` and encoding its result are faster. */
const LONG = 2 ** 11;

/** Encodes records into one buffer, each once: the checksum is that of the bytes that are written. */
export class LineEncoder implements ByteSink {
  #buffer = Buffer.allocUnsafeSlow(2 ** 14);
  size = 0;

  begin(): void {
    if (this.#buffer.length > KEPT_BYTES) this.#buffer = Buffer.allocUnsafeSlow(2 ** 14);
    this.size = 0;
  }

  write(text: string): void {
    this.makeRoom(text.length > LONG ? Buffer.byteLength(text) : text.length * 3);
    this.size += this.#buffer.write(text, this.size);
  }

  record(record: StoreRecord, start: string): void {
    this.write(start);
    // In this order of members, a reader finds the digest without parsing the text.
    if (record.k === 'body' && Object.keys(record).length === 3) {
      this.write(`"k":"body","digest":"${record.digest}","text":`);
      this.#text(record.text);
      this.write('}\n');
      return;
    }
    const from = this.size;
    if (!this.#longEntry(record)) this.write(JSON.stringify(record).slice(1, -1));
    this.write(`,"#":"${checksum(this.#buffer.subarray(from, this.size))}"}\n`);
  }

  bytes(): Buffer {
    return this.#buffer.subarray(0, this.size);
  }

  /** The members of an entry whose data begins with a long text; returns false for any other record. */
  #longEntry(record: StoreRecord): boolean {
    if (record.k === 'ref' || record.k === 'node' || record.k === 'take' || !isEntry(record)) return false;
    const text = record.data && (utf8Bytes(record.data) ?? record.data.text);
    if (!(typeof text === 'string' || text instanceof Uint8Array) || text.length < LONG) return false;
    const { data, ...members } = record;
    const [first, ...others] = Object.keys(data);
    if (Object.keys(record).at(-1) !== 'data' || first !== 'text') return false;
    const rest = JSON.stringify(Object.fromEntries(others.map((name) => [name, data[name]]))).slice(1);
    this.write(`${JSON.stringify(members).slice(1, -1)},"data":{"text":`);
    this.#text(text);
    this.write(rest === '}' ? rest : `,${rest}`);
    return true;
  }

  /** The same as writing `JSON.stringify(text)`, of a text or of its UTF-8. */
  #text(text: string | Uint8Array): void {
    const start = this.size;
    this.write('"');
    if (typeof text !== 'string') {
      appendEscapedBytes(text, this);
      this.write('"');
    } else if (text.length >= LONG && appendEscaped(text, this)) this.write('"');
    else {
      this.size = start;
      this.write(JSON.stringify(text));
    }
  }

  makeRoom(bytes: number): Buffer {
    if (this.size + bytes > this.#buffer.length) {
      const wider = Buffer.allocUnsafeSlow(Math.max(this.#buffer.length * 2, this.size + bytes));
      this.#buffer.copy(wider, 0, 0, this.size);
      this.#buffer = wider;
    }
    return this.#buffer;
  }
}

/** Writes a line again exactly as it was read, so that unknown members and long numbers do not change. */
export function copyLine({ record, text, hasSum }: Line): string {
  return record.k === 'body' && !hasSum ? `${text}\n` : `${addChecksum(text)}\n`;
}

// The checksum is the last member: the CRC-32 of everything before it between the braces, without the batch mark.
const SUM_LENGTH = ',"#":"00000000"}'.length;
const SUM = /^,"#":"([0-9a-f]{8})"\}$/;
const MARK = /^\{"~":"(\d{1,15})\.(\d{1,9})\.(\d{1,9})",/;
const LONGEST_MARK = 64;

function addChecksum(object: string): string {
  return `${object.slice(0, -1)},"#":"${checksum(object.slice(1, -1))}"}`;
}

function checksum(text: string | Uint8Array): string {
  return crc32(text).toString(16).padStart(8, '0');
}

interface OpenedLine {
  readonly value: unknown;
  readonly text: string;
  readonly mark: BatchMark | undefined;
  readonly hasSum: boolean;
}

/** Parses a line without its mark and its checksum; undefined if one of them is wrong, or if it is not JSON. */
function openLine(bytes: Buffer): OpenedLine | undefined {
  const marked = MARK.exec(bytes.toString('latin1', 0, Math.min(bytes.length, LONGEST_MARK)));
  const mark = marked ? readMark(marked) : undefined;
  if (marked && !mark) return undefined;
  const sum = SUM.exec(bytes.toString('latin1', Math.max(0, bytes.length - SUM_LENGTH)))?.[1];
  const start = marked?.[0].length ?? 1;
  const end = bytes.length - (sum === undefined ? 1 : SUM_LENGTH);
  if (sum !== undefined && checksum(bytes.subarray(start, end)) !== sum) return undefined;
  const text = !marked && sum === undefined ? bytes.toString() : `{${bytes.toString('utf8', start, end)}}`;
  const value = bytes[0] === BRACE ? parse(text) : undefined;
  return value === undefined ? undefined : { value, text, mark, hasSum: sum !== undefined };
}

const BRACE = 0x7b;

export interface Line {
  readonly record: StoreRecord;
  readonly mark: BatchMark | undefined;
  /** The exact JSON of the record, without mark and checksum. */
  readonly text: string;
  readonly hasSum: boolean;
}

/** Reads a record from a line; undefined if the line is damaged. */
export function readLine(bytes: Buffer): Line | undefined {
  const line = openLine(bytes);
  const record = line?.value;
  if (!line || typeof record !== 'object' || record === null || !isRecord(record)) return undefined;
  return { record, mark: line.mark, text: line.text, hasSum: line.hasSum };
}

/**
 * The offset at which a line ends; -1 if it is not complete. That is its line feed, or the last byte if that was a line feed once:
 * a line that was not written to its end is no record, and no other byte follows one.
 */
export function endOfLine(bytes: Buffer, start: number): number {
  const feed = bytes.indexOf(LINE_FEED, start);
  if (feed >= 0) return feed;
  const last = bytes.length - 1;
  const isRecord = bytes[last - 1] === CLOSING_BRACE && bytes[last] !== 0 && readLine(bytes.subarray(start, last));
  return isRecord ? last : -1;
}

const LINE_FEED = 10;
const CLOSING_BRACE = 0x7d;

/** The batch mark at the beginning of a line; undefined if there is none. */
export function findMark(start: string): BatchMark | undefined {
  const marked = MARK.exec(start);
  return marked ? readMark(marked) : undefined;
}

function readMark([, batch, line, lines]: RegExpExecArray): BatchMark | undefined {
  if (Number(line) >= Number(lines)) return undefined;
  return { batch: Number(batch), line: Number(line), lines: Number(lines) };
}

/** Whether a line in a segment with checksums has none: a flipped bit may have damaged the checksum's name. */
export function lacksSum({ record, hasSum }: Line): boolean {
  return !hasSum && record.k !== 'body';
}

/** The id or digest in a damaged line, if it can still be read. */
export function findSubject(bytes: Buffer): string | undefined {
  return /"(?:digest|id)":"([0-9a-f]{32,64})"/.exec(bytes.toString('latin1', 0, LONGEST_SUBJECT))?.[1];
}

const LONGEST_SUBJECT = 256;

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
