import type { StoreRecord } from '../../model/index.ts';
import { keyOf } from '../key-of.ts';
import { hashFault } from '../record-fault.ts';
import type { Problem } from '../store.ts';
import type { Files } from './files.ts';
import { lacksSum, readLine, readSegmentLine, subjectOf } from './format.ts';
import { damagedLine } from './read-segment.ts';
import { type Segment, settledUpTo } from './segment.ts';
import type { SegmentSet } from './segment-set.ts';
import { placeIn, type Tables } from './tables.ts';

const PIECE = 8 * 2 ** 20;
const LINE_FEED = 10;

/** Reads every line of every segment and proves what can be proved: that it parses, its hashes, and what it names. */
export async function checkSegments(files: Files, set: SegmentSet): Promise<Problem[]> {
  const problems: Problem[] = [];
  for (const segment of set.current()) {
    let hasSums = false;
    for await (const { bytes, start } of linesOf(files, set, segment)) {
      const where = `${segment.name}:${start}`;
      const said = readSegmentLine(bytes);
      if (said && said !== 'other') hasSums = said.hasSums;
      if (said) continue;
      const line = readLine(bytes);
      if (line && !(hasSums && lacksSum(line)))
        problems.push(...faultsOf(set.tables, line.record).map((fault) => ({ ...fault, where })));
      else problems.push({ ...damagedLine(subjectOf(bytes)), where });
    }
  }
  return problems;
}

/** Whole lines only, as far as the segment has been read: the rest is torn, or not finished. */
async function* linesOf(files: Files, set: SegmentSet, segment: Segment) {
  const path = set.pathOf(segment.number);
  const end = settledUpTo(segment);
  let piece = PIECE;
  for (let base = 0; base < end; ) {
    const bytes = await files.read(path, base, Math.min(piece, end - base));
    let start = 0;
    for (let feed = bytes.indexOf(LINE_FEED); feed >= 0; feed = bytes.indexOf(LINE_FEED, start)) {
      if (feed > start) yield { bytes: bytes.subarray(start, feed), start: base + start };
      start = feed + 1;
    }
    if (start === 0 && bytes.length < piece) return;
    if (start === 0) piece *= 2;
    base += start;
  }
}

type Fault = Omit<Problem, 'where'>;

function faultsOf({ nodes, bodies }: Tables, record: StoreRecord): Fault[] {
  const faults: Fault[] = [];
  const wrong = hashFault(record);
  if (wrong !== undefined) faults.push({ code: 'wrong-hash', message: wrong, subject: keyOf(record) });
  if (record.k === 'node') {
    const { id, parent, body } = record;
    const row = nodes.rowOf(parent);
    if (row !== 0 && !nodes.has(row))
      faults.push({ code: 'missing-parent', message: `Node ${id} hangs on ${parent}, which is not there.` });
    if (!placeIn(bodies.columns, bodies.rowOf(body)))
      faults.push({ code: 'missing-body', message: `The text ${body} of node ${id} is not there.` });
  }
  return faults;
}
