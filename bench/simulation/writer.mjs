// One of two processes that record into the same store: stores what arrived at its server, and places all that is there.
import { simulate } from './conversations.mjs';
import { recordAll } from './record.mjs';

const [kind, place, number, options] = process.argv.slice(2);
const dist = new URL('../../packages/forest/dist/', import.meta.url);
const forest = await import(new URL('index.js', dist).href);
const { sharedProjector } = await import(new URL('record/projection/projector.js', dist).href);
const recorded = await recordAll(simulate(JSON.parse(options ?? '{}')), forest);
const own = recorded
  .filter(({ exchange }) => exchange.server === Number(number))
  .sort((a, b) => a.exchange.arrives - b.exchange.arrives);
const store =
  kind === 'files' ? await forest.fileStore(place) : await forest.postgresStore(place, { project: 'simulation' });
const projector = sharedProjector(forest.createForest(store));
let done = 0;

process.on('message', async (/** @type {number | 'end'} */ until) => {
  if (until === 'end') {
    await store.close();
    process.exit(0);
  }
  const from = done;
  while (done < own.length && Number(own[done]?.exchange.arrives) <= until) done += 1;
  const records = own.slice(from, done).flatMap((one) => one.records);
  for (let at = 0; at < records.length; at += 500) await store.append(records.slice(at, at + 500));
  await projector.run();
  process.send?.('done');
});
process.send?.('ready');
