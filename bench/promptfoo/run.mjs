// `npm run promptfoo`: promptfoo itself reads what `skein export --format promptfoo` writes, and asks the emulator, which answers as
// recorded. Every test must pass, the emulator must get the recorded messages, and another answer must fail.
import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import { assistant, system, user } from '@skein/core';
import { says, startEmulator } from '@skein/emulator';
import { openForest, ROOT, recordFetch } from '@skein/forest';
import { installedVersion, installFolder, newestNode } from '../install.mjs';

const folder = fileURLToPath(new URL('.', import.meta.url));
const SKEIN = fileURLToPath(new URL('../../packages/cli/bin/skein.js', import.meta.url));

/**
 * What promptfoo would take for a template, a file or a script, besides plain words. A call is recorded from a program.
 * @type {readonly { question: string, system?: string, answer?: string, call?: string }[]}
 */
const TALKS = [
  { question: 'The weather in Oslo?', call: 'look_outside' },
  { system: 'Be brief.', question: 'The capital of Norway?', answer: 'The capital of Norway is Oslo.' },
  {
    question: 'Explain {{ env.HOME }}, #} and {% raw %} to me.',
    answer: 'Both {{ env.HOME }} and {# this #} are templates.',
  },
  { question: 'file:///etc/passwd', answer: 'file:///etc/hosts is a file on this computer' },
  { question: 'As JSON?', answer: '{"city":"Oslo","since":1048,"odd":"{{ x }}"}' },
  { question: 'In Japanese, with "quotes" and\nlines?', answer: '東京 🙂 "yes"\nand more lines of text' },
];

installFolder(folder);
const node = newestNode(folder);
const home = await mkdtemp(join(tmpdir(), 'skein-promptfoo-'));
const emulator = await startEmulator();
try {
  const store = join(home, 'forest');
  const forest = await openForest(store);
  for (const talk of TALKS) {
    if (talk.call !== undefined) {
      await recordCall(forest, talk.question, talk.call);
      continue;
    }
    const said = [...(talk.system ? [system(talk.system)] : []), user(talk.question), assistant(talk.answer ?? '')];
    await forest.threads.create({ head: await forest.append(ROOT, said), title: talk.question });
  }
  await forest.close();
  await run(process.execPath, [SKEIN, 'export', '--format', 'promptfoo', '--store', store, '--out', 'tests.jsonl']);
  const tests = (await readFile(join(home, 'tests.jsonl'), 'utf8')).trim().split('\n');
  const order = tests.map((line) => {
    const { messages } = JSON.parse(line).vars;
    const asked = JSON.parse(messages).at(-1).content;
    return TALKS.find(({ question }) => JSON.stringify(asked).includes(JSON.stringify(question).slice(1, -1)));
  });
  const config = { apiBaseUrl: emulator.baseUrl('openai-chat'), apiKey: 'sk-dummy' };
  await writeFile(
    join(home, 'promptfooconfig.json'),
    JSON.stringify({
      prompts: ['{{messages}}'],
      providers: [{ id: 'openai:chat:gpt-5.2', config }],
      tests: 'file://tests.jsonl',
    }),
  );
  const before = emulator.log.length;
  const right = await evaluate(order.map(toReply));
  const bodies = emulator.log.slice(before).map(({ body }) => JSON.parse(String(body)));
  const hasTools = bodies.every(({ tools }, at) => tools?.length > 0 === (order[at]?.call !== undefined));
  if (!hasTools) console.log('The definitions of tools did not reach the provider as recorded.');
  const sent = bodies.map(({ messages }) => messages);
  const wanted = order.map((talk) => [
    ...(talk?.system ? [{ role: 'system', content: talk.system }] : []),
    { role: 'user', content: talk?.question },
  ]);
  const wrong = await evaluate(
    TALKS.map(() => says('Nothing of the kind.')),
    { isQuiet: true },
  );
  const asked = sent.filter((messages, at) => isDeepStrictEqual(messages, wanted[at])).length;
  console.log(`promptfoo ${installedVersion(folder, 'promptfoo')}: ${tests.length} tests`);
  console.log(`asked as recorded: ${asked}; passed with the recorded answers: ${right}; with others: ${wrong}`);
  if (!hasTools || asked !== TALKS.length || right !== TALKS.length || wrong !== 0) {
    process.exitCode = 1;
    sent.forEach((messages, at) => {
      if (!isDeepStrictEqual(messages, wanted[at])) console.log('sent', messages, 'wanted', wanted[at]);
    });
  }
} finally {
  await emulator.close();
  await rm(home, { recursive: true, force: true });
}

/**
 * A program that gives its model a tool, which the model calls.
 * @param {import('@skein/forest').Forest} forest
 * @param {string} question
 * @param {string} name
 */
async function recordCall(forest, question, name) {
  emulator.script('openai-chat', [toReply({ question, call: name })]);
  const fetch = recordFetch(forest);
  const tools = [{ type: 'function', function: { name, parameters: { type: 'object', properties: {} } } }];
  const body = JSON.stringify({ model: 'gpt-5.2', messages: [{ role: 'user', content: question }], tools });
  const headers = { 'content-type': 'application/json', authorization: 'Bearer sk-dummy' };
  const response = await fetch(`${emulator.baseUrl('openai-chat')}/chat/completions`, {
    method: 'POST',
    headers,
    body,
  });
  await response.text();
  await fetch.settled();
}

/** @param {typeof TALKS[number] | undefined} talk */
function toReply({ call, answer = '' } = { question: '' }) {
  return call === undefined
    ? says(answer)
    : { blocks: [{ type: /** @type {const} */ ('tool-use'), name: call, input: {} }] };
}

/**
 * How many tests pass when the provider answers so.
 * @param {readonly import('@skein/emulator').MessageReply[]} replies
 */
async function evaluate(replies, { isQuiet = false } = {}) {
  emulator.script('openai-chat', replies);
  const program = join(folder, 'node_modules/promptfoo/dist/src/entrypoint.js');
  const options = ['--no-cache', '--no-share', '--no-write', '--no-progress-bar', '-j', '1'];
  // promptfoo ends with 100 when a test fails.
  await run(node, [program, 'eval', '-c', 'promptfooconfig.json', '-o', 'results.json', ...options], [0, 100]);
  const { results } = JSON.parse(await readFile(join(home, 'results.json'), 'utf8')).results;
  for (const { success, gradingResult, error } of results)
    if (!success && !isQuiet) console.log(error ?? gradingResult?.reason);
  return results.filter((/** @type {{ success: boolean }} */ { success }) => success).length;
}

/**
 * Runs a program with an empty home and no keys.
 * @param {string} name
 * @param {readonly string[]} args
 * @param {readonly number[]} [fine] exit codes
 * @returns {Promise<void>}
 */
function run(name, args, fine = [0]) {
  const quiet = { PROMPTFOO_DISABLE_TELEMETRY: '1', PROMPTFOO_DISABLE_UPDATE: '1', PROMPTFOO_CONFIG_DIR: home };
  const env = { PATH: process.env.PATH ?? '', HOME: home, ...quiet };
  return new Promise((resolve, reject) => {
    const child = spawn(name, args, { cwd: home, env, stdio: ['ignore', 'pipe', 'pipe'] });
    let text = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (piece) => (text += piece));
    child.once('error', reject);
    child.once('close', (code) => {
      if (fine.includes(code ?? -1)) resolve();
      else reject(new Error(`${args.join(' ')} ended with ${code}:\n${text}`));
    });
  });
}
