// `npm run gateway`: SDKs in their newest releases as clients of the gateway, each with a model of every protocol, in JSON and as
// streams. The emulator refuses what the real APIs refuse; what the SDKs understood is compared with what it said, and what it
// issued with what it got back. `--only langchain` runs one file of clients; `--cost` measures instead, beside other gateways
// that have each answered 4,000 requests before, or as many as `--warm` says.
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { MODELS, startGateway } from '../gateway-world.mjs';
import { installedVersion, installFolder, newestNode } from '../install.mjs';
import { cells } from '../table.mjs';
import { CLIENTS, FAILURE, SHAPED, TOOL, WORDS } from './client.mjs';

/** @import { Brain } from '@skein/emulator' */

/**
 * @typedef {object} CellReport
 * @property {string} cell
 * @property {string} package
 * @property {string} protocol
 * @property {string} model
 * @property {boolean} isStreamed
 * @property {string[]} problems
 */

const folder = fileURLToPath(new URL('.', import.meta.url));
const { values: given } = parseArgs({
  options: {
    only: { type: 'string', multiple: true },
    cost: { type: 'boolean', default: false },
    warm: { type: 'string', default: '4000' },
  },
});
installFolder(folder);
if (given.cost) {
  const { measureCost } = await import('./cost.mjs');
  console.log(await measureCost(Number(given.warm)));
} else await runClients();
process.exit();

async function runClients() {
  const { url, emulator } = await startGateway(brain);
  /** @type {Map<string, Map<string, CellReport[]>>} */
  const rows = new Map();
  for (const file of CLIENTS.filter((name) => given.only?.includes(name) ?? true)) {
    const options = JSON.stringify({ url: `${url}/gateway`, models: MODELS });
    for await (const report of run([`${folder}program.mjs`, file, options])) {
      report.problems.push(...judgeRequests(report));
      for (const problem of report.problems) console.error(`${report.cell}: ${problem}`);
      if (report.problems.length > 0) process.exitCode = 1;
      const title = `${report.package} ${installedVersion(folder, report.package)}`;
      const row = rows.get(`${title}|${report.protocol}`) ?? new Map();
      rows.set(`${title}|${report.protocol}`, row.set(report.model, [...(row.get(report.model) ?? []), report]));
    }
  }
  const lines = [...rows].map(([title, row]) => [
    ...title.split('|'),
    ...MODELS.map((model) => {
      const reports = row.get(model) ?? [];
      const good = reports.filter(({ problems }) => problems.length === 0).length;
      return reports.length > 0 && good === reports.length ? 'yes' : `${good} of ${reports.length}`;
    }),
  ]);
  const names = MODELS.map((model) => model.split('/')[0] ?? model);
  console.log(cells(['client', 'speaks', ...names], lines, 2 + names.length));

  /** What the provider got of one conversation: nothing that it refuses, and everything opaque that it gave.
   * @param {CellReport} report */
  function judgeRequests({ cell, protocol }) {
    const own = emulator.log.filter(({ body }) => body.includes(cell));
    const refused = own.flatMap(({ verdict }) => (verdict.refusal ? [`refused: ${verdict.refusal.message}`] : []));
    // A structured answer is apart from the conversation.
    const isTurn = (/** @type {Buffer} */ body) => !body.includes(WORDS.shape);
    const answered = own.filter(
      ({ served, body }) => isTurn(body) && served?.status === 200 && served.ended === 'complete',
    );
    const last = answered.at(-1)?.body.toString() ?? '';
    const issued = answered.slice(0, -1).flatMap(({ served }) => opaqueIn(served?.body.toString() ?? ''));
    // What a client leaves out in the provider's own protocol is its own affair.
    const isOwn = own[0]?.protocol === protocol;
    const missing = isOwn ? 0 : issued.filter((text) => !last.includes(text)).length;
    return [...refused, ...(missing > 0 ? [`${missing} of ${issued.length} opaque strings did not go back`] : [])];
  }
}

/**
 * The signatures and ciphertexts of a reply. A streamed item of Responses has other ones in its other events.
 * @param {string} served
 */
function opaqueIn(served) {
  const lines = served.split('\n').filter((line) => !/"type":"response\.(?!completed)/.test(line));
  const found = lines.join('\n').matchAll(/"(?:signature|encrypted_content|thoughtSignature)":\s*"([^"]{40,})"/g);
  return [...new Set([...found].map(([, text]) => text ?? ''))];
}

/** @type {Brain} */
function brain({ text, results }) {
  const thinking = /** @type {const} */ ({ type: 'thinking', text: 'Let me think.' });
  const says = (/** @type {string} */ words) => ({
    blocks: [thinking, { type: /** @type {const} */ ('text'), text: words }],
  });
  // A client keeps the questions that failed, and some protocols join them.
  const failing = [...text.matchAll(new RegExp(`${WORDS.fail} (\\d+)`, 'g'))].at(-1);
  if (failing) return { error: { status: Number(failing[1]), message: FAILURE } };
  if (text.startsWith(WORDS.shape)) return says(JSON.stringify(SHAPED));
  if (text.startsWith(WORDS.image)) return says('A red dot.');
  if (text.startsWith(WORDS.thanks)) return says('You are welcome.');
  if (text.startsWith(WORDS.long)) return { ...says('Once upon a time. '.repeat(2000)), chunkDelay: 1 };
  if (results.length > 0) return says('Cold in both.');
  const call = (/** @type {string} */ city) =>
    /** @type {const} */ ({ type: 'tool-use', name: TOOL.name, input: { city } });
  return { blocks: [thinking, call('Oslo'), call('Rome')] };
}

/**
 * Runs a program on the Node of the SDKs, with nothing of the environment, and gives what it reports, line by line.
 * @param {readonly string[]} args
 * @returns {AsyncGenerator<CellReport>}
 */
async function* run(args) {
  const child = spawn(newestNode(folder), args, {
    ...{ cwd: folder, env: { HOME: '/nonexistent' }, timeout: 600_000 },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  for await (const line of createInterface({ input: child.stdout }))
    if (line.startsWith('{"cell"')) yield JSON.parse(line);
}
