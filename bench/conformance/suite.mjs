// The suite itself: each reply is served by the emulator, saved, loaded in another process and sent again.
import { fork } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { says, startEmulator } from '@skein/emulator';
import { judge } from './judge.mjs';
import { CASES, REPLIES } from './replies/index.mjs';

/** @import { Verdict } from './judge.mjs' */
/** @import { CaseName, Protocol } from './replies/index.mjs' */
/** @import { Job, Outcome } from './turn.mjs' */

/** @type {Record<Protocol, string>} */
const MODELS = {
  'anthropic-messages': 'claude-sonnet-4-5',
  'openai-chat': 'gpt-5',
  'openai-responses': 'gpt-5',
  'google-generatecontent': 'gemini-2.5-flash',
  'google-interactions': 'gemini-2.5-flash',
  'bedrock-converse': 'us.anthropic.claude-opus-4-8',
  'cohere-chat': 'command-a-reasoning-08-2025',
};

const TOOLS = [
  {
    name: 'look_up',
    description: 'Looks a city up',
    parameters: {
      type: 'object',
      properties: { city: { type: 'string' }, id: { type: 'integer' }, ratio: { type: 'number' } },
    },
  },
  { name: 'now', description: 'What time it is', parameters: { type: 'object', properties: {} } },
];

/**
 * @typedef {object} Result
 * @property {CaseName} case
 * @property {Verdict} [verdict] none when nothing was sent
 * @property {string} [crash] why nothing was sent
 */

/**
 * All cases of a protocol, in one piece or as streams.
 * @param {string} name of the adapter's file
 * @param {Protocol} protocol
 * @param {boolean} stream
 * @returns {Promise<Result[]>}
 */
export async function roundTrips(name, protocol, stream) {
  const emulators = await Promise.all(CASES.map(() => startEmulator()));
  try {
    for (const [index, emulator] of emulators.entries()) {
      const { json, sse, streamType = 'text/event-stream' } = REPLIES[protocol][CASES[index] ?? 'known'];
      const headers = { 'content-type': stream ? streamType : 'application/json' };
      emulator.script(protocol, [{ raw: { headers, body: stream ? sse : json } }, says('Fine.')]);
    }
    /** @type {Job[]} */
    const jobs = emulators.map((emulator, index) => ({
      turn: { protocol, stream, baseUrl: emulator.baseUrl(protocol), model: MODELS[protocol], tools: TOOLS },
      calls: REPLIES[protocol][CASES[index] ?? 'known'].calls,
    }));
    const first = await inNewProcess(name, jobs);
    const kept = jobs.flatMap((job, index) => {
      const { saved } = first[index] ?? {};
      return saved === undefined ? [] : [{ ...job, saved, index }];
    });
    const second = kept.length > 0 ? await inNewProcess(name, kept) : [];
    return CASES.map((one, index) => {
      const reply = REPLIES[protocol][one];
      const request = emulators[index]?.log[1]?.body.toString();
      if (request !== undefined)
        return { case: one, verdict: judge(protocol, (stream && reply.streamed) || reply.elements, request) };
      const later = second[kept.findIndex((job) => job.index === index)];
      return { case: one, crash: first[index]?.error ?? later?.error ?? 'nothing was sent' };
    });
  } finally {
    await Promise.all(emulators.map((emulator) => emulator.close()));
  }
}

/**
 * @param {string} name
 * @param {readonly Job[]} jobs
 * @returns {Promise<Outcome[]>}
 */
async function inNewProcess(name, jobs) {
  const script = fileURLToPath(new URL('turn.mjs', import.meta.url));
  const child = fork(script, [name], { stdio: ['ignore', 'ignore', 'pipe', 'ipc'] });
  child.send(jobs);
  /** @type {Promise<Outcome[] | undefined>} */
  const told = new Promise((resolve) => {
    child.once('message', (outcomes) => resolve(/** @type {Outcome[]} */ (outcomes)));
    child.once('exit', () => resolve(undefined));
  });
  const [outcomes, errors] = await Promise.all([told, child.stderr ? text(child.stderr) : '']);
  return outcomes ?? jobs.map(() => ({ error: `the process ended: ${errors.slice(-300)}` }));
}
