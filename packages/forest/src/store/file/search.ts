import { type BodyRecord, type NodeRecord, type StoreRecord, wordsOf } from '../../model/index.ts';
import { nodeText } from '../node-text.ts';
import { pageOf } from '../page.ts';
import type { Page, SearchHit, SearchQuery } from '../store.ts';
import { createWordIndex, type WordIndex } from '../word-index.ts';
import type { RecordReader } from './record-reader.ts';
import type { SegmentSet } from './segment-set.ts';
import { placeIn } from './tables.ts';

const AT_ONCE = 1000;

/** The words of all nodes. They are read when first asked for; from then on each new node adds its own. */
export function createSearch(set: SegmentSet, records: RecordReader) {
  let words: WordIndex | undefined;
  let missing: number[] = [];
  let filling: Promise<unknown> = Promise.resolve();

  const start = () => {
    const { count, has } = set.tables.nodes;
    for (let row = 1; row < count; row++) if (has(row)) missing.push(row);
    return createWordIndex();
  };
  const fill = async (index: WordIndex) => {
    while (missing.length > 0 && index === words) {
      const rows = missing.splice(0, AT_ONCE);
      const { nodes, bodies } = set.tables;
      const read = (await records.read(rows.map((row) => placeIn(nodes.columns, row)))) as (NodeRecord | undefined)[];
      const texts = await records.read(rows.map((row) => placeIn(bodies.columns, nodes.columns.body[row]!)));
      for (const [at, node] of read.entries())
        if (node) index.add(node.id, nodeText(node.dialect, (texts[at] as BodyRecord | undefined)?.text ?? ''));
    }
  };

  return {
    async find({ words: wanted, roles, since = -Infinity, until = Infinity, ...page }: SearchQuery) {
      words ??= start();
      const index = words;
      // One after the other: two at once would each leave out what the other is reading.
      filling = filling.catch(() => undefined).then(() => fill(index));
      await filling;
      const { columns, roles: known, rowOf } = set.tables.nodes;
      const hits = index.find(wanted.flatMap(wordsOf)).filter(({ id }) => {
        const row = rowOf(id);
        if (row < 0) return false;
        const at = columns.at[row]!;
        return at >= since && at < until && (roles?.includes(known[columns.role[row]!]!) ?? true);
      });
      return pageOf(hits, ({ score, id }) => [-score, id], page) satisfies Page<SearchHit>;
    },
    onNew(found: readonly StoreRecord[]) {
      if (!words) return;
      for (const record of found) if (record.k === 'node') missing.push(set.tables.nodes.rowOf(record.id));
    },
    reset() {
      words = undefined;
      missing = [];
    },
  };
}
