// `npm run sdks`: the vendors' own SDKs in their newest releases, through the recording proxy to the emulator. Each has a
// conversation with a tool call in one piece and one as a stream, and an error at its end; what the SDK understood, what the
// emulator thought of it and what was recorded are compared. `--only cohere` runs one.
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual, parseArgs } from 'node:util';
import { installedVersion, installFolder, newestNode } from '../install.mjs';
import { CLIENT_KEY, compareBytes, readRecording, startRecording } from '../recorded.mjs';
import { cells } from '../table.mjs';
import { ANSWER, FAILURE, question, REPLIES, RESULT, SDKS, TOOL } from './sdk.mjs';

/** @import { RecordedExchange } from '@skein/forest' */
/** @import { World } from '../recorded.mjs' */
/** @import { Mode, Sdk } from './sdk.mjs' */

const folder = fileURLToPath(new URL('.', import.meta.url));
const account = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'a-secret-of-the-server' };
const { values: given } = parseArgs({ options: { only: { type: 'string', multiple: true } } });
installFolder(folder);
const node = newestNode(folder);
/** @type {string[][]} */
const rows = [];
for (const client of SDKS.filter((name) => given.only?.includes(name) ?? true)) {
  /** @type {{ protocol: Sdk['protocol'], package: string, name: string, modes: readonly Mode[] }} */
  const sdk = JSON.parse(
    await run(['-e', `import('./clients/${client}.mjs').then(({ sdk }) => console.log(JSON.stringify(sdk)))`]),
  );
  const title = `${sdk.package} ${installedVersion(folder, sdk.package)}`;
  for (const mode of sdk.modes) {
    const problems = await judgeMode(client, sdk.protocol, mode);
    rows.push([title, sdk.name, sdk.protocol, mode, problems.length === 0 ? 'yes' : 'NO']);
    for (const problem of problems) console.error(`${title}, ${sdk.name}, ${mode}: ${problem}`);
    if (problems.length > 0) process.exitCode = 1;
  }
}
console.log(cells(['package', 'client', 'protocol', 'mode', 'whole'], rows, 5));

/**
 * @param {string} client
 * @param {Sdk['protocol']} protocol
 * @param {Mode} mode
 * @returns {Promise<string[]>} what is wrong
 */
async function judgeMode(client, protocol, mode) {
  const world = await startRecording({
    AWS_ACCESS_KEY_ID: account.accessKeyId,
    AWS_SECRET_ACCESS_KEY: account.secretAccessKey,
  });
  try {
    world.emulator.script(protocol, REPLIES);
    const options = JSON.stringify({ proxy: `${world.url}/proxy`, key: CLIENT_KEY, account });
    const understood = JSON.parse(await run([`${folder}program.mjs`, client, mode, options]));
    const recording = await readRecording(world);
    return [
      ...judgeUnderstanding(understood),
      ...world.emulator.log.flatMap(({ path, verdict: { refusal, warnings } }) => [
        ...(refusal ? [`the emulator refused ${path}: ${refusal.message}`] : []),
        ...warnings.map((warning) => `the emulator warned at ${path}: ${JSON.stringify(warning)}`),
      ]),
      ...compareBytes(world, recording),
      ...(await judgeConversation(world, recording, mode)),
    ];
  } catch (error) {
    return [`${error}`];
  } finally {
    await world.close();
  }
}

/** @param {{ call: unknown, text: string, error: string }} understood by the SDK */
function judgeUnderstanding({ call, text, error }) {
  const wanted = { name: TOOL.name, input: { city: 'Oslo' } };
  return [
    ...(isDeepStrictEqual(call, wanted) ? [] : [`the SDK read the call ${JSON.stringify(call)}`]),
    ...(text === ANSWER ? [] : [`the SDK read the answer ${JSON.stringify(text)}`]),
    ...(error?.includes(FAILURE) ? [] : [`the SDK threw ${JSON.stringify(error)}`]),
  ];
}

/**
 * @param {World} world
 * @param {readonly RecordedExchange[]} recording
 * @param {Mode} mode
 */
async function judgeConversation({ forest }, recording, mode) {
  const outcomes = recording.map(({ exchange }) => exchange.outcome).join(', ');
  if (outcomes !== 'done, done, refused') return [`the exchanges ended as ${outcomes}`];
  const threads = new Set(recording.flatMap(({ exchange }) => exchange.landing?.thread ?? []));
  const [thread] = threads;
  if (threads.size !== 1 || thread === undefined) return [`it became ${threads.size} conversations`];
  const { head } = await forest.threads.get(thread);
  const texts = (await forest.path(head)).map(({ message }) => message.text).join('\n');
  const wanted = [question(mode), RESULT, ANSWER];
  const places = wanted.map((words) => texts.indexOf(words));
  const isInOrder = places.every((place, index) => place > (places[index - 1] ?? -1));
  return isInOrder ? [] : [`the conversation says ${JSON.stringify(texts)}`];
}

/**
 * Runs a program on the Node of the SDKs, with nothing of the environment.
 * @param {readonly string[]} args
 * @returns {Promise<string>} what it printed
 */
function run(args) {
  return new Promise((resolve, reject) => {
    const child = spawn(node, args, { cwd: folder, env: { HOME: '/nonexistent' }, timeout: 60_000 });
    let [output, errors] = ['', ''];
    child.stdout.setEncoding('utf8').on('data', (text) => {
      output += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text) => {
      errors += text;
    });
    child.once('close', (status) => (status === 0 ? resolve(output) : reject(new Error(errors.slice(-1500)))));
  });
}
