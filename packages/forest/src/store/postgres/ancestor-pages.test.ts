import { expect, test } from 'vitest';
import { useDatabase } from '../../../test/postgres/use-database.ts';
import { ROOT } from '../../model/ids.ts';
import { makePath, toRecords } from '../../testing/store-samples.ts';
import { hasPage, nodesBehind, readAncestors, readDepth, writePages } from './ancestor-pages.ts';

const used = useDatabase();
const path = makePath(Array.from({ length: 200 }, (_, at) => `message ${at}`));
const nodes = path.map(({ node }) => node);

test('every 64th node has a page, and the root has none', () => {
  const depths = [0, 1, 63, 64, 65, 128].filter((depth) => hasPage({ ...nodes[0]!, depth }));
  expect(depths).toEqual([64, 128]);
});

test('ancestors are read down to a depth, or to where the page that has it begins, and not all of them', async () => {
  const project = used.newProject();
  const store = await used.open(project);
  await store.append(toRecords(path));
  const { db } = await used.openContext(project);
  const read = async (from: number, floor: number) =>
    (await readAncestors(db, project, nodes[from]!.id, floor)).map(({ depth }) => depth);
  const range = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, at) => first + at);
  expect(await read(199, 0)).toEqual(range(1, 200));
  // From node to node up to the page at 192, which reaches down to 129; its next one is the page at 128.
  expect(await read(199, 195)).toEqual(range(195, 200));
  expect(await read(199, 192)).toEqual(range(129, 200));
  expect(await read(199, 129)).toEqual(range(65, 200));
  expect(await read(199, 10)).toEqual(range(1, 200));
  expect(await readAncestors(db, project, 'unknown', 0)).toEqual([]);
  expect(await readAncestors(db, 'another project', nodes[199]!.id, 0)).toEqual([]);

  expect(await readDepth(db, project, nodes[70]!.id)).toBe(71);
  expect(await readDepth(db, project, ROOT)).toBe(0);
  expect(await readDepth(db, project, 'unknown')).toBe(0);
  expect(await readDepth(db, 'another project', nodes[70]!.id)).toBe(0);
});

test('a page is written only of ancestors that are all there, once', async () => {
  const project = used.newProject();
  const store = await used.open(project);
  await store.append(toRecords(path.slice(1)));
  const { db } = await used.openContext(project);
  const readPages = async () =>
    (
      await used.database.query(
        "select encode(id, 'hex') as id, encode(above, 'hex') as above, encode(ids[1], 'hex') as first, cardinality(ids) as count from skein_page where project = $1",
        [project],
      )
    ).sort((a, b) => nodes.findIndex(({ id }) => id === a.id) - nodes.findIndex(({ id }) => id === b.id));
  const page = (at: number) => ({
    id: nodes[at]!.id,
    // The root is no byte at all.
    above: at === 63 ? '' : nodes[at - 64]!.id,
    first: nodes[at - 1]!.id,
    count: 63,
  });
  // The page at 64 lacks the first node.
  expect(await readPages()).toEqual([page(127), page(191)]);
  await store.append(toRecords(path.slice(0, 1)));
  await writePages(db, project, [nodes[63]!.id, nodes[127]!.id, nodes[10]!.id, 'unknown']);
  await writePages(db, project, []);
  expect(await readPages()).toEqual([page(63), page(127), page(191)]);
});

test('the nodes behind one are those below it, and unknown if it is elsewhere', () => {
  const rows = ['aa', 'bb', 'cc'].map((id) => ({ id }) as Parameters<typeof nodesBehind>[0][number]);
  expect(nodesBehind(rows, 'aa')).toEqual(rows.slice(1));
  expect(nodesBehind(rows, 'cc')).toEqual([]);
  expect(nodesBehind(rows, 'dd')).toBe(undefined);
});
