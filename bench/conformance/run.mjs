// `npm run conformance`: what each library sends back of what a provider sent. `--only skein` runs one adapter,
// `--missing` lists every value that did not come back.
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { cells } from '../table.mjs';
import { adapterNames, loadAdapter, versionOf } from './adapter.mjs';
import { roundTrips } from './suite.mjs';

/** @import { Result } from './suite.mjs' */

const { values: given } = parseArgs({
  options: { only: { type: 'string', multiple: true }, missing: { type: 'boolean' } },
});
const names = adapterNames().filter((name) => !given.only || given.only.includes(name));
/** @type {string[][]} */
const rows = [];
/** @type {string[]} */
const notes = [];
for (const name of names) {
  const adapter = await loadAdapter(name);
  console.error(`${adapter.name} (${adapter.packages.map((one) => `${one} ${versionOf(one)}`).join(', ')})`);
  for (const protocol of adapter.protocols)
    for (const stream of adapter.streams) {
      const results = await roundTrips(name, protocol, stream);
      rows.push([adapter.name, protocol, stream ? 'stream' : 'JSON', ...summary(results, stream)]);
      notes.push(
        ...results.flatMap((result) => noteOf(`${adapter.name}, ${protocol}, ${stream ? 'stream' : 'JSON'}`, result)),
      );
    }
}
console.log(
  `${new Date().toISOString().slice(0, 10)}, Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model}\n`,
);
const head = ['library', 'protocol', '', 'values', 'bytes', 'verbatim', 'order', 'known', 'unknown', 'calls'];
console.log(cells(head, rows, 3));
if (notes.length > 0) console.log(`\n${notes.join('\n')}`);

/**
 * @param {readonly Result[]} results
 * @param {boolean} stream
 */
function summary(results, stream) {
  const share = (/** @type {'leaves' | 'bytes' | 'verbatim'} */ what) =>
    percent(results.reduce((sum, { verdict }) => sum + (verdict?.[what] ?? 0), 0) / results.length);
  const inOrder = results.every(({ verdict }) => verdict === undefined || verdict.inOrder);
  return [
    share('leaves'),
    share('bytes'),
    stream ? '' : share('verbatim'),
    inOrder ? 'yes' : 'NO',
    ...results.map(({ verdict }) => (verdict ? percent(verdict.leaves) : 'crash')),
  ];
}

/** @param {number} share */
function percent(share) {
  return share === 1 ? '100 %' : `${Math.min(99.9, share * 100).toFixed(1)} %`;
}

/**
 * @param {string} title
 * @param {Result} result
 */
function noteOf(title, { case: one, crash, verdict }) {
  if (crash !== undefined) return [`${title}, ${one}: ${crash.split('\n')[0]?.slice(0, 200)}`];
  return given.missing ? (verdict?.missing ?? []).map((leaf) => `${title}, ${one}: lost ${leaf.slice(0, 200)}`) : [];
}
