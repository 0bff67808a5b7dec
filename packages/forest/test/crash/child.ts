// Appends to a forest until it is killed. What it is about to write and what was acknowledged goes to its parent, line by
// line; a pipe keeps what was written to it when the writer dies.
import { writeSync } from 'node:fs';
import { fileStore, ROOT } from '../../src/index.ts';
import { createTake, type NodeRecord, nodeId, type StoreRecord, sha256 } from '../../src/store.ts';

const [folder, name, seed] = process.argv.slice(2) as [string, string, string];
const store = await fileStore(folder);
let state = Number(seed) >>> 0;
const random = () => {
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
  return state / 2 ** 32;
};
const tell = (word: string, message: unknown) => writeSync(1, `${word} ${JSON.stringify(message)}\n`);
const known: string[] = [ROOT];
const underWay = new Set<Promise<void>>();

for (let batch = 0; batch < 5000; batch++) {
  const records: StoreRecord[] = [];
  const texts: [id: string, text: string][] = [];
  let parent = known[Math.floor(random() * known.length)]!;
  for (let length = 1 + Math.floor(random() * 5); length > 0; length--) {
    const said = `${name} ${batch}.${length} ${'é\n"\\ '.repeat(Math.floor(random() ** 4 * 20_000))}`;
    const text = JSON.stringify({ role: 'user', content: [{ type: 'text', text: said }] });
    const digest = sha256(text);
    const id = nodeId(parent, 'blocks', digest);
    const node: NodeRecord = {
      ...{ k: 'node', id, parent, depth: 1, dialect: 'blocks', body: digest, echo: `1:${digest.slice(0, 32)}` },
      ...{ lead: ROOT, facts: { role: 'user', calls: [], results: [], needs: [] }, at: batch },
    };
    const origin = { dialect: 'blocks', issuer: 'local' };
    records.push(
      { k: 'body', digest, text },
      node,
      createTake({ node: id, at: batch, author: 'person', via: 'append', origin }),
    );
    texts.push([id, text]);
    parent = id;
  }
  records.push({
    k: 'ref',
    on: 'thread',
    key: name,
    name: 'head',
    value: parent,
    clock: String(batch).padStart(9, '0'),
  });
  tell('begin', { batch, texts });
  const done = store.append(records).then(() => {
    tell('done', { batch });
    known.push(parent);
    underWay.delete(done);
  });
  underWay.add(done);
  if (random() < 0.6) await Promise.race(underWay);
  if (underWay.size > 8) await Promise.all(underWay);
}
