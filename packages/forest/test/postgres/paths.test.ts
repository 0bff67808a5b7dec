import { describe, expect, test } from 'vitest';
import { makePath, toRecords } from '../../src/testing/store-samples.ts';
import { useDatabase } from './use-database.ts';

const used = useDatabase();
const texts = (count: number) => Array.from({ length: count }, (_, at) => `message ${at}`);

describe('a long history', () => {
  test('is read by its pages, whole and in part, whether it came at once or bit by bit', async () => {
    const project = used.newProject();
    const store = await used.open(project);
    const path = makePath(texts(300));
    const nodes = path.map(({ node }) => node);
    await store.append(toRecords(path.slice(0, 150)));
    for (const made of path.slice(150)) await store.append(toRecords([made]));
    expect(await store.path(nodes[299]!.id)).toEqual(nodes);
    for (const above of [0, 62, 63, 64, 127, 250, 298, 299])
      expect(await store.path(nodes[299]!.id, nodes[above]!.id)).toEqual(nodes.slice(above + 1));
    const pages = await used.database.query(
      "select encode(above, 'hex') as above, cardinality(ids) as ids from skein_page where project = $1 order by 1",
      [project],
    );
    // The root is no byte at all.
    const aboves = ['', ...[63, 127, 191].map((at) => nodes[at]!.id)];
    expect(pages).toEqual(aboves.sort().map((above) => ({ above, ids: 63 })));
  });

  test('is whole also when its end came first, and has its pages after compacting', async () => {
    const project = used.newProject();
    const store = await used.open(project);
    const path = makePath(texts(200));
    const nodes = path.map(({ node }) => node);
    await store.append(toRecords(path.slice(100)));
    expect(await store.path(nodes[199]!.id)).toEqual(nodes.slice(100));
    await store.append(toRecords(path.slice(0, 100)));
    const countPages = () => used.database.query('select from skein_page where project = $1', [project]);
    const before = (await countPages()).length;
    for (const stage of ['with gaps', 'after compacting']) {
      expect(await store.path(nodes[199]!.id), stage).toEqual(nodes);
      expect(await store.path(nodes[199]!.id, 'f'.repeat(40)), stage).toEqual(nodes);
      expect(await store.path(nodes[199]!.id, nodes[70]!.id), stage).toEqual(nodes.slice(71));
      await store.compact(() => true);
    }
    expect([before, (await countPages()).length]).toEqual([2, 3]);
  });

  test('is given whole when the node to start behind stands on another branch', async () => {
    const store = await used.open();
    const path = makePath(texts(150));
    const branch = makePath(['x', 'y'], path[140]!.node);
    await store.append(toRecords([...path, ...branch]));
    const nodes = path.map(({ node }) => node);
    expect(await store.path(nodes[149]!.id, branch[1]!.node.id)).toEqual(nodes);
  });
});
