import { expect, test } from 'vitest';
import { makePath, makeRef, toRecords } from '../../src/testing/store-samples.ts';
import { useDatabase } from './use-database.ts';

const used = useDatabase();

test('a check finds changed texts, wrong ids, missing parents and texts, and rows that cannot be read', async () => {
  const project = used.newProject();
  const store = await used.open(project);
  const [a, b, c, d] = makePath(['a', 'b', 'c', 'd']);
  await store.append([
    ...toRecords([a!, b!, c!, d!]),
    makeRef('t', 'title', 'x', 'c1'),
    makeRef('u', 'title', 'y', 'c2'),
  ]);
  expect(await store.check()).toEqual([]);
  const change = (text: string, key: string) => used.database.query(text, [project, key]);
  await change(
    "update skein_body set text = text || ' ' where project = $1 and digest = decode($2, 'hex')",
    a!.body.digest,
  );
  await change(
    "update skein_node set dialect = 'openai-chat' where project = $1 and id = decode($2, 'hex')",
    b!.node.id,
  );
  await change("delete from skein_body where project = $1 and digest = decode($2, 'hex')", c!.body.digest);
  await change("delete from skein_node where project = $1 and id = decode($2, 'hex')", c!.node.id);
  await change("update skein_ref set members = '{' where project = $1 and key = $2", 't');

  expect(await store.bodies([a!.body.digest, b!.body.digest])).toEqual([undefined, b!.body.text]);
  expect(store.problems()).toMatchObject([{ code: 'wrong-hash', subject: a!.body.digest }]);
  const wrong = expect.stringContaining('does not match');
  const place = 'skein_ref thread/t/title';
  const [id, parent] = [d!.node.id, c!.node.id];
  const problems = await store.check();
  expect(problems.map(({ where }) => where)).toEqual([place, a!.body.digest, b!.node.id, id]);
  expect(problems).toEqual([
    { code: 'damaged-record', where: place, message: expect.stringContaining(place), subject: 'thread/t/title' },
    { code: 'wrong-hash', where: a!.body.digest, message: wrong, subject: a!.body.digest },
    { code: 'wrong-hash', where: b!.node.id, message: wrong, subject: b!.node.id },
    { code: 'missing-parent', where: id, message: `The parent ${parent} of node ${id} is missing.` },
  ]);
  await change("delete from skein_body where project = $1 and digest = decode($2, 'hex')", d!.body.digest);
  const message = `The body ${d!.body.digest} of node ${id} is missing.`;
  expect((await store.check()).slice(problems.length)).toEqual([{ code: 'missing-body', where: id, message }]);

  expect((await store.refs({ on: 'thread' })).items.map(({ key }) => key)).toEqual(['u']);
  expect(store.problems().map(({ code }) => code)).toEqual(['wrong-hash', 'damaged-record']);
  // What cannot be read is kept.
  await store.compact(() => true);
  expect(await used.database.query('select key from skein_ref where project = $1 order by key', [project])).toEqual([
    { key: 't' },
    { key: 'u' },
  ]);
});
