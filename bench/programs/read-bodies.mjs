// Reads every recorded request, and does nothing with it: `read-bodies.mjs store|lines <folder>`, through the store, or as a program
// that knows nothing but JSON lines.
import { createReadStream, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const [how, folder = ''] = process.argv.slice(2);
const characters = how === 'store' ? await throughStore() : await fromLines();
if (characters === 0) throw new Error(`${folder} has no recorded requests`);

async function throughStore() {
  const { openForest } = await import('@skein/forest');
  const forest = await openForest(folder);
  let sum = 0;
  for (let after; ; ) {
    const page = await forest.store.entries('exchange', { of: 'exchanges', limit: 200, ...(after && { after }) });
    const bodies = await Promise.all(page.items.map(({ id }) => forest.store.entry('exchange', `${id}/request`)));
    for (const body of bodies) sum += String(body?.data.text).length;
    after = page.next;
    if (after === undefined) break;
  }
  await forest.close();
  return sum;
}

async function fromLines() {
  let sum = 0;
  const segments = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.jsonl'));
  for (const name of segments)
    for await (const line of createInterface({ input: createReadStream(join(folder, name)) })) {
      const at = line.indexOf('{');
      if (at < 0 || !line.includes('"k":"exchange"')) continue;
      const { order, data } = JSON.parse(line.slice(at));
      if (order === 'request') sum += data.text.length;
    }
  return sum;
}
