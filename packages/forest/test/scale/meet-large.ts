/** The program of `npm run sync-scale`: what passes between two large forests that differ in a few messages. */
import { parseArgs } from 'node:util';
import { assistant, type Message, user } from '@skein/core';
import {
  answerSync,
  createForest,
  type Forest,
  memoryStore,
  ROOT,
  remotePeer,
  storePeer,
  syncForests,
} from '@skein/forest';
import { overlayStore, type StoreRecord } from '@skein/forest/store';

const { values } = parseArgs({
  options: {
    nodes: { type: 'string', default: '1000,100000,1000000' },
    different: { type: 'string', default: '1,10,100' },
  },
});
const PATH = 20;
const both = { direction: 'both' } as const;

/** Conversations of twenty messages. */
async function grow(forest: Forest, nodes: number, name: string): Promise<void> {
  for (let made = 0; made < nodes; made += PATH) {
    const messages: Message[] = [];
    for (let turn = 0; turn < Math.min(PATH, nodes - made); turn++)
      messages.push(turn % 2 === 0 ? user(`${name} ${made + turn}?`) : assistant(`Answer ${made + turn}.`));
    await forest.append(ROOT, messages);
  }
}

console.log('| nodes | different | calls | sent, bytes | received, bytes | of that records, bytes |');
console.log('|---:|---:|---:|---:|---:|---:|');
for (const nodes of values.nodes.split(',').map(Number)) {
  const [store, twin] = [memoryStore(), memoryStore()];
  const here = createForest(store);
  const there = createForest(twin);
  // Both get the same records, as after a first meeting: sending a million of them is not what is measured.
  const append = async (records: readonly StoreRecord[]) => {
    await store.append(records);
    await twin.append(records);
  };
  await grow(createForest(overlayStore(store, { append })), nodes, 'Question');
  const passed = { calls: 0, sent: 0, received: 0, records: 0 };
  const other = storePeer(there.store);
  const remote = remotePeer(async (call) => {
    const [question, kind] = [JSON.stringify(call), call.call];
    const answer = JSON.stringify(await answerSync(other, JSON.parse(question)));
    passed.calls += 1;
    passed.sent += question.length;
    passed.received += answer.length;
    if (kind === 'write') passed.records += question.length;
    return JSON.parse(answer);
  });
  const local = storePeer(here.store);
  await syncForests(local, remote, both);
  for (const different of values.different.split(',').map(Number)) {
    await grow(here, different, `Difference of ${different}`);
    Object.assign(passed, { calls: 0, sent: 0, received: 0, records: 0 });
    const { messages } = await syncForests(local, remote, both);
    if (messages.sent !== different) throw new Error(`${messages.sent} messages were sent, and not ${different}.`);
    console.log(
      `| ${nodes} | ${different} | ${passed.calls} | ${passed.sent} | ${passed.received} | ${passed.records} |`,
    );
  }
}
