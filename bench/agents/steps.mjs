// What is asked of Skein with a real agent. Each step answers what went wrong.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { says } from '@skein/emulator';
import { listExchanges, readRecorded, readSession } from '@skein/forest';
import { compareBytes } from '../recorded.mjs';
import { delegatedReplies, historyOf, SAID, taskReplies } from './agent.mjs';
import { createPlace, hashFiles, NOTE } from './place.mjs';

/** @import { Emulator } from '@skein/emulator' */
/** @import { Forest, RecordedExchange, Thread } from '@skein/forest' */
/** @import { Agent, Model } from './agent.mjs' */
/** @import { Ended, Place } from './place.mjs' */

/**
 * @typedef {object} World
 * @property {Emulator} emulator
 * @property {Model} model
 * @property {boolean} show whether the conversations are printed
 */

/**
 * A task, and a prompt to the resumed session, at the agent's own vendor through the recording proxy, or at another one's model
 * through the gateway.
 * @param {World} world
 * @param {Agent} agent
 * @param {Place} place
 * @param {string} [foreign]
 */
export async function runSession(world, agent, place, foreign) {
  const { emulator, model } = world;
  const way = foreign === undefined ? ['record', '--'] : ['route', foreign, '--'];
  const options = foreign === undefined ? agent.own : [];
  const from = emulator.log.length;
  model.tool = agent.read(place.work).name;
  model.replies = taskReplies(agent, place.work, foreign ?? agent.own.join(' '));
  const problems = judgeEnd(await place.skein([...way, ...agent.ask(SAID.task, options)]), SAID.done);
  const note = (await readFile(join(place.work, NOTE.name), 'utf8')).trim();
  if (note !== NOTE.after) problems.push(`the note says "${note}"`);
  const isResumed = isResumable(agent, foreign);
  model.replies = [says(SAID.answer)];
  if (isResumed)
    problems.push(...judgeEnd(await place.skein([...way, ...agent.goOn(SAID.question, options)]), SAID.answer));
  const log = requestsSince(emulator, from);
  problems.push(...judgeRequests(log), ...judgeOpaque(log), ...(await judgeForest(world, place, historyOf(isResumed))));
  if (foreign === undefined) problems.push(...(await judgeBytes(place, log, agent)));
  return problems;
}

/**
 * Imports what the agent logged: without changing a file of its home, and into the session that was recorded.
 * @param {Place} place
 * @returns {Promise<{ imported: string[], met: string[] }>}
 */
export async function importLogs(place) {
  const before = await withForest(place, describeForest);
  const files = await hashFiles(place.home);
  const imported = [];
  const [first, second] = [await importOnce(place), await importOnce(place)];
  for (const { ended, result } of [first, second])
    if (ended.status !== 0 || result.problems.length > 0) imported.push(`import: ${ended.err}${ended.out}`);
  if (first.result.threads.length === 0) imported.push('no session was found');
  if (second.result.added > 0) imported.push(`the second import added ${second.result.added} messages`);
  const after = await hashFiles(place.home);
  for (const path of new Set([...files.keys(), ...after.keys()]))
    if (files.get(path) !== after.get(path)) imported.push(`${path} was changed`);
  const met = first.result.threads.length === 0 ? ['there is no session to meet'] : [];
  const { threads, messages, checkpoints } = await withForest(place, describeForest);
  if (first.result.added > 0) met.push(`${first.result.added} of ${first.result.messages} messages were added`);
  if (threads.length !== before.threads.length) met.push(`${before.threads.length} threads became ${threads.length}`);
  if (messages !== before.messages) met.push(`${before.messages} messages of the conversation became ${messages}`);
  if (checkpoints !== before.checkpoints) met.push(`${before.checkpoints} checkpoints became ${checkpoints}`);
  return { imported, met };
}

/** @param {Place} place */
async function importOnce(place) {
  const ended = await place.skein(['import', '--agents', '--json']);
  return { ended, result: ended.status === 0 ? JSON.parse(ended.out) : { threads: [], problems: [], added: 0 } };
}

/**
 * A task that the agent gives to a subagent: the recording has both conversations in one session, and after the import the
 * subagent is still one, linked to the call that started it.
 * @param {World} world
 * @param {Agent} agent
 * @param {Place} place
 */
export async function runSubagent({ emulator, model }, agent, place) {
  const start = agent.delegate?.(SAID.inquiry);
  if (!start) return ['it has no subagents'];
  const from = emulator.log.length;
  model.tool = agent.read(place.work).name;
  model.replies = delegatedReplies(start, agent.read(place.work));
  const problems = judgeEnd(await place.skein(['record', '--', ...agent.ask(SAID.delegated, agent.own)]), SAID.found);
  const log = requestsSince(emulator, from);
  problems.push(...judgeRequests(log), ...(await judgeBytes(place, log, agent)));
  problems.push(...(await judgeLanes(place, 'recorded')));
  const { imported, met } = await importLogs(place);
  return [...problems, ...imported, ...met, ...(await judgeLanes(place, 'imported'))];
}

/**
 * @param {Place} place
 * @param {string} how
 */
async function judgeLanes(place, how) {
  return withForest(place, async (forest) => {
    const { threads } = await describeForest(forest);
    const main = threads.find(({ part }) => part === 'main');
    if (!main) return [`${how}: there is no main conversation`];
    const session = await readSession(forest, main.id);
    const [lane] = session.subagents;
    if (session.subagents.length !== 1 || !lane)
      return [`${how}: ${session.subagents.length} subagents instead of one`];
    const acts = session.main.steps.flatMap((step) => step.acts);
    if (!acts.some(({ subagent }) => subagent === lane.thread.id))
      return [`${how}: the subagent is not linked to the call that started it`];
    return lane.steps.at(-1)?.answer?.text === SAID.report ? [] : [`${how}: the report of the subagent is missing`];
  });
}

/**
 * A session is compacted and gone on with: the model gets the summary, and both the recording and the import of the log have a
 * checkpoint that says what took the place of the history, which is still there.
 * @param {World} world
 * @param {Agent} agent
 * @param {Place} place
 */
export async function runCompaction(world, agent, place) {
  const { emulator, model } = world;
  const { prompt = SAID.again, options = [], files = {}, foreign, sent = SAID.summary } = agent.compact ?? {};
  const problems = await runSession(world, agent, place, foreign);
  const way = foreign === undefined ? ['record', '--'] : ['route', foreign, '--'];
  const own = foreign === undefined ? agent.own : [];
  const from = emulator.log.length;
  // The summary may be asked for with the tools of the agent or without.
  model.side = SAID.summary;
  model.replies = prompt.startsWith('/') ? [says(SAID.summary)] : [says(SAID.now), says(SAID.now)];
  await place.write(files);
  const compacted = await place.skein([...way, ...agent.goOn(prompt, [...own, ...options])]);
  await place.write(agent.files ?? {}, Object.keys(files));
  if (compacted.status !== 0) problems.push(`compact: ${compacted.err}${compacted.out}`.slice(0, 2000));
  const since = emulator.log.length;
  model.side = SAID.title;
  model.replies = [says(SAID.lastAnswer)];
  problems.push(...judgeEnd(await place.skein([...way, ...agent.goOn(SAID.last, own)]), SAID.lastAnswer));
  problems.push(...judgeRequests(requestsSince(emulator, from)));
  const asked = requestsSince(emulator, since).map(({ body }) => body.toString());
  // The last messages may be kept beside the summary.
  if (missingFrom(asked.join('\n'), [sent, SAID.last]) !== undefined) problems.push('the summary was not sent');
  problems.push(...(await judgeCheckpoint(place, agent, 'recorded')));
  const { imported, met } = await importLogs(place);
  return [...problems, ...imported, ...met, ...(await judgeCheckpoint(place, agent, 'imported'))];
}

/**
 * There is one main conversation with a checkpoint for each compaction: the session goes on behind it, and everything before it is there.
 * @param {Place} place
 * @param {Agent} agent
 * @param {string} how
 */
async function judgeCheckpoint(place, agent, how) {
  return withForest(place, async (forest) => {
    const { threads, checkpoints } = await describeForest(forest);
    const [main, ...others] = threads.filter(({ part }) => part === 'main');
    if (!main || others.length > 0) return [`${how}: ${others.length + 1} main conversations instead of one`];
    const { sent, times = 1 } = agent.compact ?? {};
    if (checkpoints !== times) return [`${how}: ${checkpoints} checkpoints instead of ${times}`];
    const { steps } = (await readSession(forest, main.id)).main;
    const at = steps.findIndex(({ compacted }) => compacted);
    if (sent === undefined && !steps[at]?.compacted?.replacement.includes(SAID.summary))
      return [`${how}: the checkpoint does not have the summary`];
    const texts = steps.slice(0, at).flatMap(({ prompt, answer }) => [prompt, answer?.text ?? '']);
    const missing = missingFrom(texts.join('\n'), [SAID.task, SAID.done, SAID.question, SAID.answer]);
    if (missing !== undefined) return [`${how}: "${missing}" is missing before the checkpoint`];
    return steps.at(-1)?.answer?.text === SAID.lastAnswer ? [] : [`${how}: the session does not go on`];
  });
}

/**
 * Hands a recorded session over to another agent, which goes on with it at its own vendor.
 * @param {World} world
 * @param {{ agent: Agent, place: Place }} source whose session was recorded, and where
 * @param {Agent} agent that goes on
 * @returns {Promise<{ handed: string[], resumed: string[] }>}
 */
export async function handOver({ emulator, model }, { agent: from, place: source }, agent) {
  const place = await createPlace(emulator, agent);
  try {
    const [thread] = (await withForest(source, describeForest)).threads.filter(({ part }) => part === 'main');
    const ended = await place.skein(
      ['handoff', thread?.id ?? '', '--to', agent.id, '--cwd', place.work, '--model', modelOf(agent), '--json'],
      source.store,
    );
    if (ended.status !== 0) return { handed: [`handoff: ${ended.err}`], resumed: ['it was not handed over'] };
    const { resume } = JSON.parse(ended.out);
    const commands = resume.split(' && ').map((/** @type {string} */ command) => command.split(' '));
    const handed = [];
    for (const command of commands.slice(0, -1)) {
      const { status, err, out } = await place.run(command);
      if (status !== 0) handed.push(`${command.join(' ')}: ${err}${out}`);
    }
    const start = emulator.log.length;
    model.tool = agent.read(place.work).name;
    model.replies = [says(SAID.lastAnswer)];
    const command = agent.resume?.(commands.at(-1), SAID.last, agent.own) ?? [];
    const resumed = judgeEnd(await place.skein(['record', '--', ...command]), SAID.lastAnswer);
    const log = requestsSince(emulator, start);
    // Over a WebSocket, the history and the prompt come in requests of their own.
    const asked = log.map(({ body }) => body.toString()).join('\n');
    const missing = missingFrom(asked, [...historyOf(isResumable(from)), SAID.last]);
    if (missing !== undefined) resumed.push(`"${missing}" is missing from what it asked, or in another place`);
    return { handed, resumed: [...resumed, ...judgeRequests(log)] };
  } finally {
    await place.remove();
  }
}

/** @param {Agent} agent */
function modelOf({ own }) {
  return own.at(-1)?.replace(/^.*\//, '') ?? '';
}

/**
 * @param {Agent} agent
 * @param {string} [foreign]
 */
function isResumable({ isRefusedOnResume = false }, foreign) {
  return foreign !== undefined || !isRefusedOnResume;
}

/**
 * @param {Ended} ended
 * @param {string} answer
 */
function judgeEnd({ status, out, err }, answer) {
  return status === 0 && out.includes(answer)
    ? []
    : [`it ended with ${status}, without "${answer}":\n${out}${err}`.slice(0, 2000)];
}

/**
 * The requests to a model; Claude Code asks first whether anybody is there.
 * @param {Emulator} emulator
 * @param {number} from
 */
function requestsSince({ log }, from) {
  return log.slice(from).filter(({ method }) => method !== 'HEAD');
}

/** @param {Emulator['log']} log */
function judgeRequests(log) {
  if (log.length === 0) return ['nothing was asked'];
  return log.flatMap(({ method, path, verdict: { refusal } }) =>
    refusal ? [`${method} ${path} was refused: ${refusal.message}`] : [],
  );
}

/**
 * The signature or the ciphertext of every reply goes back with a later request. A stream may seal the same thought several
 * times; one of them is enough. Side calls, which offer no tools, are not gone on with.
 * @param {Emulator['log']} log
 */
function judgeOpaque(log) {
  const main = log.filter(({ body }) => /"tools":\[\{|"previous_response_id":"/.test(body.toString()));
  const bodies = main.map(({ body }) => body.toString());
  const issued = main
    .slice(0, -1)
    .map(({ served }) =>
      [...`${served?.body}`.matchAll(/"(?:signature|encrypted_content|thoughtSignature)":"([^"]{16,})"/g)].map(
        ([, value = '']) => value,
      ),
    );
  const replies = [...issued.entries()].filter(([, values]) => values.length > 0);
  const lost = replies.filter(
    ([index, values]) => !bodies.slice(index + 1).some((body) => values.some((value) => body.includes(value))),
  );
  if (replies.length === 0) return ['no reasoning was issued'];
  return lost.length === 0 ? [] : [`the reasoning of ${lost.length} of ${replies.length} replies did not go back`];
}

/**
 * @param {World} world
 * @param {Place} place
 * @param {readonly string[]} history
 */
async function judgeForest({ show }, place, history) {
  const { threads, texts, checkpoints } = await withForest(place, describeForest);
  if (show) for (const text of texts) console.error(`    ${text.slice(0, 160).replaceAll('\n', ' ')}`);
  const main = threads.filter(({ part }) => part === 'main');
  if (main.length !== 1) return [`it became ${main.length} conversations instead of one`];
  if (new Set(threads.map(({ group }) => group)).size !== 1) return ['its side calls are not in its group'];
  if (checkpoints > 0) return [`${checkpoints} checkpoints, though nothing was compacted`];
  const missing = missingFrom(texts.join('\n'), history);
  return missing === undefined ? [] : [`"${missing}" is missing from the conversation, or in another place`];
}

/**
 * @param {Place} place
 * @param {Emulator['log']} log
 * @param {Agent} agent
 */
async function judgeBytes(place, log, { isOverSocket = false }) {
  const problems = log
    .filter(({ method }) => (method === 'WEBSOCKET') !== isOverSocket)
    .map(({ method, path }) => `${method} ${path} came over ${isOverSocket ? 'HTTP' : 'a WebSocket'}`);
  const recording = await withForest(place, async (forest) => {
    const { items } = await listExchanges(forest, { order: 'oldest' });
    return (await Promise.all(items.map(({ id }) => readRecorded(forest, id)))).flatMap((one) => one ?? []);
  });
  return [...problems, ...compareBytes({ emulator: { log } }, recording)];
}

/**
 * The first of the words that is not in the text behind those before it.
 * @param {string} text
 * @param {readonly string[]} words
 */
function missingFrom(text, words) {
  let at = 0;
  return words.find((word) => {
    const found = text.indexOf(word, at);
    at = found + word.length;
    return found === -1;
  });
}

/** @param {Forest} forest */
async function describeForest(forest) {
  const { items: threads } = await forest.threads.list({});
  const [main] = threads.filter(({ part }) => part === 'main');
  const path = main ? await forest.path(main.head) : [];
  const changes = main ? await forest.contextChanges(main.id) : [];
  return {
    threads,
    messages: path.length,
    texts: path.map(({ message }) => message.text),
    checkpoints: changes.filter(({ compacted }) => compacted).length,
  };
}

/**
 * @template T
 * @param {Place} place
 * @param {(forest: Forest) => Promise<T>} read
 */
async function withForest(place, read) {
  const forest = await place.forest();
  try {
    return await read(forest);
  } finally {
    await forest.close();
  }
}
