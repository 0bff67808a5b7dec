import type { StoreRecord } from '../../model/index.ts';
import { isEntry } from '../key-of.ts';

/** The number in the first line of a segment. A store that meets a higher one does not write. */
export const SEGMENT_VERSION = 1;

/** Which line of which batch: a batch counts when all its lines are there. A batch of one line needs no mark. */
export interface BatchMark {
  readonly batch: number;
  readonly line: number;
  readonly lines: number;
}

export function headerLine(writer: string): string {
  return `{"skein":"segment","version":${SEGMENT_VERSION},"writer":${JSON.stringify(writer)}}\n`;
}

/** The last line of a writer that ended as it should. */
export const END_LINE = '{"skein":"end"}\n';

/** The version and writer of a segment; undefined when the line is not the beginning of one. */
export function readHeader(line: string): { readonly version: number; readonly writer: string } | undefined {
  const { skein, version, writer } = (parse(line) ?? {}) as Record<string, unknown>;
  return skein === 'segment' && typeof version === 'number' && typeof writer === 'string'
    ? { version, writer }
    : undefined;
}

/** Records as lines of one batch; each ends with a line feed, and none has another. */
export function batchLines(records: readonly StoreRecord[], batch: number): string[] {
  return records.map((record, line) => {
    // In this order a reader finds the digest without parsing the text.
    const text =
      record.k === 'body' && Object.keys(record).length === 3
        ? `{"k":"body","digest":"${record.digest}","text":${JSON.stringify(record.text)}}`
        : JSON.stringify(record);
    return records.length === 1 ? `${text}\n` : `{"~":"${batch}.${line}.${records.length}",${text.slice(1)}\n`;
  });
}

export interface Line {
  readonly record: StoreRecord;
  readonly mark: BatchMark | undefined;
}

/** A record as it was written; undefined when the line is damaged. */
export function readLine(text: string): Line | undefined {
  const value = parse(text);
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return undefined;
  const { '~': given, ...record } = value as Record<string, unknown>;
  if (given === undefined) return isRecord(value) ? { record: value, mark: undefined } : undefined;
  const mark = typeof given === 'string' ? readMark(given) : undefined;
  return mark && isRecord(record) ? { record, mark } : undefined;
}

function readMark(text: string): BatchMark | undefined {
  const [, batch, line, lines] = /^(\d{1,15})\.(\d{1,9})\.(\d{1,9})$/.exec(text) ?? [];
  if (lines === undefined || Number(line) >= Number(lines)) return undefined;
  return { batch: Number(batch), line: Number(line), lines: Number(lines) };
}

/** Whether it has what the index needs; all else is the business of who reads it. */
export function isRecord(value: object): value is StoreRecord {
  const record = value as Record<string, unknown>;
  if ('~' in record) return false;
  switch (record.k) {
    case 'node':
      return (
        isHex(record.id, 40) &&
        isHex(record.parent, 40) &&
        isHex(record.lead, 40) &&
        isHex(record.body, 64) &&
        typeof record.echo === 'string' &&
        typeof record.dialect === 'string' &&
        typeof record.at === 'number' &&
        Number.isInteger(record.depth) &&
        typeof (record.facts as { role?: unknown } | undefined)?.role === 'string'
      );
    case 'body':
      return isHex(record.digest, 64) && typeof record.text === 'string';
    case 'take':
      return isHex(record.id, 32) && isHex(record.node, 40) && typeof record.at === 'number';
    case 'ref':
      return [record.on, record.key, record.name, record.clock].every((member) => typeof member === 'string');
    case 'generation':
    case 'event':
    case 'exchange':
    case 'tool-journal':
      return isEntry(record);
    default:
      return typeof record.k === 'string';
  }
}

/** Whether it is a line about the segment itself. After a merge they may stand anywhere. */
export function isSegmentLine(text: string): boolean {
  return text.startsWith('{"skein":') && parse(text) !== undefined;
}

function isHex(value: unknown, length: number): boolean {
  return typeof value === 'string' && value.length === length && /^[0-9a-f]*$/.test(value);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
