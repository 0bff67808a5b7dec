import {
  createForest,
  createRecorder,
  forgetMonths,
  type ListedExchange,
  listExchanges,
  readRecorded,
  type Store,
} from '@skein/forest';
import { expect, test } from 'vitest';
import { sharedProjector } from '../../src/record/projection/projector.ts';
import { useDatabase } from './use-database.ts';

const used = useDatabase();
const MONTHS = ['2026-07', '2026-08', '2026-09', '2026-11'];

/** Records one exchange in each month. */
async function recordMonths(store: Store): Promise<void> {
  for (const month of MONTHS) {
    const at = Date.parse(`${month}-15T12:00:00Z`);
    const forest = createForest(store, { now: () => at });
    const recorder = createRecorder(forest, {
      onError: (error) => {
        throw error;
      },
    });
    const messages = [{ role: 'user', content: `What happened in ${month}?` }];
    const recording = recorder.begin({
      method: 'POST',
      url: 'https://api.openai.com/v1/chat/completions',
      headers: [['content-type', 'application/json']],
      body: JSON.stringify({ model: 'gpt-5.5', messages }),
    });
    recording.head(200, [['content-type', 'application/json']]);
    const message = { role: 'assistant', content: `Much, in ${month}.` };
    recording.push(
      new TextEncoder().encode(
        JSON.stringify({ id: `chatcmpl-${month}`, choices: [{ index: 0, message, finish_reason: 'stop' }] }),
      ),
    );
    recording.end('done');
    await recorder.settled();
  }
}

const monthsOf = (items: readonly ListedExchange[]) =>
  items.map(({ start }) => new Date(start).toISOString().slice(0, 7));

const readPartitions = async (): Promise<string[]> =>
  (
    await used.database.query(`
      select tableoid::regclass::text as name, count(*)::integer as rows from skein_entry
      where kind = 'exchange' and "of" = 'exchanges' group by 1 order by 1`)
  ).map(({ name, rows }) => `${String(name).replace(/^skein_exchange_[0-9a-f]{12}/, 'own')} ${rows}`);

test('recordings move into a partition for each month, and whole months are dropped by the retention', async () => {
  const store = await used.open();
  await recordMonths(store);
  expect(await readPartitions()).toEqual(['skein_entry_rest 4']);
  const forest = createForest(store, { now: () => Date.parse('2026-11-20T00:00:00Z') });
  const before = await listExchanges(forest);
  expect(await forgetMonths(forest, {})).toEqual([]);
  expect(await readPartitions()).toEqual(['own_202607 1', 'own_202608 1', 'own_202609 1', 'own_202611 1']);
  expect(await listExchanges(forest)).toEqual(before);

  // 80 days before: 1 September. August ended then, September did not.
  expect(await forgetMonths(forest, { recordingDays: 80 })).toEqual(['2026-07', '2026-08']);
  const { items } = await listExchanges(forest);
  expect(monthsOf(items)).toEqual(['2026-09', '2026-11']);
  expect(await readRecorded(forest, before.items[0]!.id)).toBe(undefined);
  expect((await readRecorded(forest, items[0]!.id))?.request?.length).toBeGreaterThan(10);
  const placements = await store.refs({ on: 'forest', names: ['landed'] });
  expect(placements.items.map(({ key }) => key).sort()).toEqual(items.map(({ id }) => id).sort());
  // Conversations stay, and the forest is whole.
  expect((await forest.threads.list()).items.length).toBe(4);
  expect(await forest.fsck()).toEqual([]);
  expect(await forgetMonths(forest, { recordingDays: 80 })).toEqual([]);
  await sharedProjector(forest).run();
});

test('months of one project are not those of another', async () => {
  const [one, two] = [await used.open(), await used.open()];
  await recordMonths(one);
  await recordMonths(two);
  const now = () => Date.parse('2026-11-20T00:00:00Z');
  await forgetMonths(createForest(one, { now }), { recordingDays: 80 });
  expect(monthsOf((await listExchanges(createForest(two))).items)).toEqual(MONTHS);
  await forgetMonths(createForest(two, { now }), {});
  expect(monthsOf((await listExchanges(createForest(two))).items)).toEqual(MONTHS);
});

test('two servers may begin with months at once, and one that opens later writes into them', async () => {
  const project = used.newProject();
  const stores = [await used.open(project), await used.open(project)];
  await Promise.all(stores.map((store) => store.months!.create()));
  const third = await used.open(project);
  await recordMonths(third);
  expect(monthsOf((await listExchanges(createForest(stores[0]!))).items)).toEqual(MONTHS);
});
