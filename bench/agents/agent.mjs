// What a coding agent is to this bench, one file per agent, and the model that it talks to: it asks for the agent's own tools.
import { says } from '@skein/emulator';
import { NOTE } from './place.mjs';

/** @import { BrainRequest, Emulator, ScriptedReply } from '@skein/emulator' */

/**
 * @typedef {{ name: string, input: Record<string, unknown> }} Call
 * @typedef {object} Compaction
 * @property {string} [prompt] that asks for it; any other prompt, if the agent compacts by itself
 * @property {readonly string[]} [options] by which it compacts early
 * @property {Readonly<Record<string, string>>} [files] of its home by which it compacts early, by their paths
 * @property {string} [foreign] a model of another vendor, if its own one refuses the resumed session
 * @property {number} [times] how often it compacts; default: once
 * @property {string} [sent] what stands for the history from then on; default: the summary that the model wrote
 * @typedef {object} Agent
 * @property {string} name
 * @property {string} id under which Skein knows its sessions
 * @property {string} package whose version is shown
 * @property {boolean} [isRefusedOnResume] whether its vendor refuses a resumed session with calls, as the agent sends it
 * @property {string} [install] a script of the package: npm runs none here, and some put the program for the machine in its place
 * @property {Parameters<Emulator['script']>[0]} protocol of its own vendor
 * @property {boolean} [isOverSocket] whether it speaks to its vendor over a WebSocket
 * @property {readonly string[]} foreign models of other vendors, as `skein route` takes them
 * @property {Readonly<Record<string, string>>} env more variables
 * @property {Readonly<Record<string, string>>} [files] to be written into its home first, by their paths
 * @property {readonly string[]} own options that choose a model of its own vendor
 * @property {(prompt: string, options: readonly string[]) => readonly string[]} ask the command for a first prompt
 * @property {(prompt: string, options: readonly string[]) => readonly string[]} goOn the command that goes on with the last session
 * @property {(command: readonly string[], prompt: string, options: readonly string[]) => readonly string[]} [resume] the command
 *   that goes on without a terminal, from the one that `skein handoff` names; agents without it get no sessions from others
 * @property {(prompt: string) => Call} [delegate] the call that starts a subagent, if the agent has any
 * @property {Compaction} [compact] how its last session is compacted without a terminal
 * @property {(work: string) => Call} read the call that reads the note
 * @property {(work: string, model: string) => Call} edit the call that changes it, by what the agent offers to a model
 */

/** What is said in a session: a task with a read and an edit, then a prompt to the resumed session. */
export const SAID = {
  title: 'The password',
  task: 'Change the password in the note.',
  thought: 'It may be in the note.',
  done: 'It is halibut now.',
  question: 'What was it before?',
  answer: 'It was swordfish.',
  delegated: 'Let somebody else find the password.',
  inquiry: 'Find the password in the note and tell it.',
  report: 'The note names a fish.',
  found: 'Somebody found a fish.',
  again: 'And what is it now?',
  now: 'It is halibut, as it was.',
  summary:
    'They were looking for a password. The note named a fish, the agent read it, put another fish into its place as it was ' +
    'asked to, and said so. Then somebody wanted to know what it had been before, and was told. Nothing else is left to do.',
  last: 'Who are you?',
  lastAnswer: 'Nobody you know.',
};

/**
 * In this order, what the history of such a session says.
 * @param {boolean} isResumed
 */
export function historyOf(isResumed) {
  const first = [SAID.task, NOTE.before, SAID.done];
  return isResumed ? [...first, SAID.question, SAID.answer] : first;
}

/**
 * The replies to a task: the agent's own read tool, its edit tool, the end.
 * @param {Agent} agent
 * @param {string} work
 * @param {string} model
 * @returns {ScriptedReply[]}
 */
export function taskReplies(agent, work, model) {
  const calls = [agent.read(work), agent.edit(work, model)];
  return [
    ...calls.map((call) => ({ blocks: [thinking(), { type: /** @type {const} */ ('tool-use'), ...call }] })),
    { blocks: [thinking(), { type: /** @type {const} */ ('text'), text: SAID.done }] },
  ];
}

/**
 * The replies to a task that is given on: the call that starts a subagent, the subagent's read and its report, the end.
 * @param {Call} start
 * @param {Call} read
 * @returns {ScriptedReply[]}
 */
export function delegatedReplies(start, read) {
  const call = (/** @type {Call} */ one) => ({
    blocks: [thinking(), { type: /** @type {const} */ ('tool-use'), ...one }],
  });
  return [call(start), call(read), says(SAID.report), says(SAID.found)];
}

function thinking() {
  return { type: /** @type {const} */ ('thinking'), text: SAID.thought };
}

/** A model that answers an agent from a list. Side calls, which offer no tools of the agent, get a title, or what is set. */
export class Model {
  /** @type {ScriptedReply[]} */
  replies = [];
  /** @type {string} */
  tool = '';
  side = SAID.title;

  /** @param {BrainRequest} request */
  answer = ({ tools }) => {
    if (!tools.some(({ name }) => name === this.tool)) return says(this.side);
    return this.replies.shift() ?? says('Nobody expected this request.');
  };
}
