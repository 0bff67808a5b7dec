import { nodeId, type StoreRecord, sha256, takeOf } from '../../model/index.ts';
import type { Problem } from '../store.ts';
import type { Files } from './files.ts';
import { isSegmentLine, readLine } from './format.ts';
import { type Segment, settledUpTo } from './segment.ts';
import type { SegmentSet } from './segment-set.ts';
import { placeIn, type Tables } from './tables.ts';

const PIECE = 8 * 2 ** 20;
const LINE_FEED = 10;

/** Reads every line of every segment and proves what can be proved: that it parses, its hashes, and what it names. */
export async function checkSegments(files: Files, set: SegmentSet): Promise<Problem[]> {
  const problems: Problem[] = [];
  for (const segment of set.current()) {
    for await (const { text, start } of linesOf(files, set, segment)) {
      const where = `${segment.name}:${start}`;
      if (isSegmentLine(text)) continue;
      const record = readLine(text)?.record;
      if (record) problems.push(...faultsOf(set.tables, record).map((fault) => ({ ...fault, where })));
      else problems.push({ code: 'damaged-record', where, message: 'It is not a record. It is kept as it is.' });
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
      if (feed > start) yield { text: bytes.toString('utf8', start, feed), start: base + start };
      start = feed + 1;
    }
    if (start === 0 && bytes.length < piece) return;
    if (start === 0) piece *= 2;
    base += start;
  }
}

type Fault = Pick<Problem, 'code' | 'message'>;

function faultsOf({ nodes, bodies }: Tables, record: StoreRecord): Fault[] {
  const faults: Fault[] = [];
  if (record.k === 'body' && sha256(record.text) !== record.digest)
    faults.push({ code: 'wrong-hash', message: `The text of body ${record.digest} has another hash.` });
  if (record.k === 'take') {
    const { k: _, id, ...facts } = record;
    if (takeOf(facts).id !== id) faults.push({ code: 'wrong-hash', message: `Take ${id} has another hash.` });
  }
  if (record.k === 'node') {
    const { id, parent, dialect, body } = record;
    if (nodeId(parent, dialect, body) !== id)
      faults.push({ code: 'wrong-hash', message: `Node ${id} does not have the id of what it says.` });
    const row = nodes.rowOf(parent);
    if (row !== 0 && !nodes.has(row))
      faults.push({ code: 'missing-parent', message: `Node ${id} hangs on ${parent}, which is not there.` });
    if (!placeIn(bodies.columns, bodies.rowOf(body)))
      faults.push({ code: 'missing-body', message: `The text ${body} of node ${id} is not there.` });
  }
  return faults;
}
