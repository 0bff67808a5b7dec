import { expect, test } from 'vitest';
import { memoryFacts } from '../../../test/memory-facts.ts';
import { useDatabase } from '../../../test/postgres/use-database.ts';
import type { FactStore } from '../store.ts';
import { factQueries } from './facts.ts';

const used = useDatabase();

const openFacts = async (project?: string) => factQueries(await used.openContext(project));
const PLACES: Readonly<Record<string, () => Promise<FactStore>>> = {
  memory: async () => memoryFacts(),
  PostgreSQL: openFacts,
};
const ODD = 'a lone \ud800, a null \0 and an escape \u001b';

test.each(Object.keys(PLACES))('facts in %s are of one version, and only who knows it replaces it', async (place) => {
  const facts = await PLACES[place]!();
  expect(await facts.version()).toBe(undefined);
  expect(await facts.read(['a'])).toEqual({ version: undefined, values: [undefined] });
  const write = (from: string | undefined, version: string, values: [string, string | undefined][]) =>
    facts.write(from, { version, state: `${ODD} of ${version}` }, new Map(values));
  expect(await write('none', 'v1', [['a', 'lost']])).toBe(false);
  const first: [string, string | undefined][] = [
    ['a', '1'],
    ['b', ODD],
    ['c', '3'],
    [ODD, 'by an odd key'],
  ];
  expect(await write(undefined, 'v1', first)).toBe(true);
  expect(await write(undefined, 'v2', [['a', 'lost']])).toBe(false);
  expect(await facts.version()).toEqual({ version: 'v1', state: `${ODD} of v1` });
  expect(await facts.read(['c', 'x', 'b', 'a', ODD])).toEqual({
    version: 'v1',
    values: ['3', undefined, ODD, '1', 'by an odd key'],
  });
  const second: [string, string | undefined][] = [
    ['a', '4'],
    ['c', undefined],
    [ODD, undefined],
  ];
  expect(await write('v1', 'v2', second)).toBe(true);
  expect(await write('v1', 'v3', [['a', 'lost']])).toBe(false);
  expect(await facts.version()).toEqual({ version: 'v2', state: `${ODD} of v2` });
  expect(await facts.read(['a', 'b', 'c', ODD])).toEqual({ version: 'v2', values: ['4', ODD, undefined, undefined] });
  await facts.clear();
  expect(await facts.version()).toBe(undefined);
  expect(await facts.read(['a', 'b'])).toEqual({ version: undefined, values: [undefined, undefined] });
});

test('more facts than one statement takes are all written, and all removed', async () => {
  const facts = await openFacts();
  const keys = Array.from({ length: 5_001 }, (_, at) => `key ${at}`);
  const writeAll = (from: string | undefined, version: string, value: string | undefined) =>
    facts.write(from, { version, state: '' }, new Map(keys.map((key) => [key, value])));
  await writeAll(undefined, 'v1', 'there');
  expect(new Set((await facts.read(keys)).values)).toEqual(new Set(['there']));
  await writeAll('v1', 'v2', undefined);
  expect(new Set((await facts.read(keys)).values)).toEqual(new Set([undefined]));
});

test('facts of one project are not those of another', async () => {
  const [one, two] = [await openFacts(), await openFacts()];
  await one.write(undefined, { version: 'v1', state: 's' }, new Map([['a', 'of one']]));
  await two.write(undefined, { version: 'v1', state: 's' }, new Map([['a', 'of two']]));
  await two.write('v1', { version: 'v2', state: 's' }, new Map([['a', undefined]]));
  expect(await one.read(['a'])).toEqual({ version: 'v1', values: ['of one'] });
  await two.clear();
  expect(await one.read(['a'])).toEqual({ version: 'v1', values: ['of one'] });
});

const FACT = '{"system ":{"key":"[[],[],\\"\\"]","count":2},"turn ":"1:","continued ":{"id":"0m","start":17}}';
/** The same, packed with the names that facts begin with. */
const PACKED_FACT = '01ab2636931a91ec80da5a00';

test('facts that an earlier version stored can be read, packed or not', async () => {
  const project = used.newProject();
  const facts = await openFacts(project);
  await facts.write(undefined, { version: 'v1', state: '' }, new Map([['new', FACT]]));
  const store = (key: string, value: Buffer) =>
    used.database.query('insert into skein_fact (project, key, value) values ($1, $2, $3)', [project, key, value]);
  await store('packed', Buffer.from(PACKED_FACT, 'hex'));
  await store('not packed', Buffer.from('{"a":"\u001b001bescaped"}'));
  expect((await facts.read(['packed', 'not packed'])).values).toEqual([FACT, '{"a":"\u001bescaped"}']);
  // The bytes may differ between versions of zlib, but not the space that the known names save.
  const [row] = await used.database.query("select length(value) from skein_fact where project = $1 and key = 'new'", [
    project,
  ]);
  expect(row!.length).toBeLessThan(FACT.length / 3);
});
