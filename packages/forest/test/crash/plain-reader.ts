import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * The texts of all nodes of a folder, read by what docs/stores.md says, without any code of the store: every line is
 * JSON; a last batch of which lines are missing does not count; every hash is right.
 */
export function readPlainly(folder: string): Map<string, string> {
  const bodies = new Map<string, string>();
  const nodes = new Map<string, { parent: string; dialect: string; body: string }>();
  const segments = join(folder, 'projects', 'default', 'segments');
  for (const name of existsSync(segments) ? readdirSync(segments) : []) {
    const texts = readFileSync(join(segments, name), 'utf8').split('\n').slice(0, -1);
    const lines = texts.map((text) => JSON.parse(text));
    const [last, , count] = (lines.at(-1)?.['~'] ?? '').split('.');
    const ofLast = lines.filter((line) => last !== '' && line['~']?.startsWith(`${last}.`));
    if (ofLast.length < Number(count)) lines.splice(lines.length - ofLast.length);
    for (const line of lines) {
      if (line.k === 'body') bodies.set(line.digest, line.text);
      if (line.k === 'node') nodes.set(line.id, line);
    }
  }
  const found = new Map<string, string>();
  for (const [id, { parent, dialect, body }] of nodes) {
    const text = bodies.get(body);
    if (text === undefined || sha256(text) !== body) throw new Error(`The text of ${id} is not there`);
    if (sha256(`skein-node/1\n${parent}\n${dialect}\n${body}`).slice(0, 40) !== id)
      throw new Error(`${id} is not the id of what it says`);
    if (!/^0+$/.test(parent) && !nodes.has(parent)) throw new Error(`${id} hangs on nothing`);
    found.set(id, text);
  }
  return found;
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
