import { postgresStore } from '../../src/store/index.ts';
import { makePath, toRecords } from '../../src/testing/store-samples.ts';

// Writes a history, one message per append, and says each id once it is acknowledged; `all` write the same messages.
const [, , url = '', name = '', count = '0'] = process.argv;
const store = await postgresStore(url, { project: 'shared', connections: 3 });
const same = makePath(Array.from({ length: Number(count) }, (_, at) => `same ${at}`));
const own = makePath(Array.from({ length: Number(count) }, (_, at) => `${name} ${at}`));
for (const [at, made] of own.entries()) {
  await store.append(toRecords([made, same[at]!]));
  process.stdout.write(`${made.node.id}\n${same[at]!.node.id}\n`);
}
await store.close();
