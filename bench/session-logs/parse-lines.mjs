// The floor of importing logs: reads the files of a folder as streams and parses each line.
import { createReadStream } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const [folder = ''] = process.argv.slice(2);
let lines = 0;
for (const name of (await readdir(folder)).sort()) {
  const reader = createInterface({ input: createReadStream(join(folder, name)), crlfDelay: Number.POSITIVE_INFINITY });
  for await (const line of reader) if (JSON.parse(line).type !== undefined) lines += 1;
}
if (lines === 0) throw new Error('There was nothing to read.');
