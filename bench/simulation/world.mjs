// The programs of the simulation: 20 apps, their system texts, how each names its users, and what its models answer.
import { random } from '../data/words.mjs';

/** @import { Said } from './wire.mjs' */

/**
 * @typedef {object} App
 * @property {number} id
 * @property {'chat' | 'claude' | 'responses' | 'google'} dialect
 * @property {'none' | 'fixed' | 'dated' | 'clock' | 'customer' | 'counter'} system
 * @property {'nobody' | 'user' | 'session' | 'label' | 'claude-code' | 'codex' | 'opencode' | 'named'} says of its users
 * @property {boolean} [isStock] answers at temperature 0, from a few that all share
 * @property {'unique' | 'call_0'} [calls] it has tools, and their calls have such ids
 * @property {boolean} [signs] replies have signed or encrypted thoughts
 * @property {'response' | 'conversation'} [keeps] the history is kept by the provider
 * @property {boolean} [hasExamples] turns that stand before every question
 * @property {boolean} [trims] sends the last turns of a long history only
 */

/** @type {readonly App[]} */
export const APPS = [
  { dialect: 'chat', system: 'none', says: 'nobody', isStock: true },
  { dialect: 'chat', system: 'fixed', says: 'nobody', isStock: true, trims: true },
  { dialect: 'chat', system: 'fixed', says: 'nobody', isStock: true },
  { dialect: 'chat', system: 'dated', says: 'nobody', isStock: true },
  { dialect: 'chat', system: 'clock', says: 'user', isStock: true },
  { dialect: 'chat', system: 'customer', says: 'nobody', isStock: true },
  { dialect: 'chat', system: 'fixed', says: 'user', calls: 'unique', trims: true },
  { dialect: 'chat', system: 'fixed', says: 'user', calls: 'call_0', isStock: true },
  { dialect: 'chat', system: 'counter', says: 'label' },
  { dialect: 'chat', system: 'fixed', says: 'nobody', isStock: true, hasExamples: true },
  { dialect: 'claude', system: 'dated', says: 'user', calls: 'unique', signs: true },
  { dialect: 'claude', system: 'fixed', says: 'nobody', trims: true },
  { dialect: 'claude', system: 'clock', says: 'claude-code', calls: 'unique', signs: true },
  { dialect: 'responses', system: 'fixed', says: 'nobody', signs: true },
  { dialect: 'responses', system: 'fixed', says: 'user', keeps: 'response' },
  { dialect: 'responses', system: 'fixed', says: 'nobody', keeps: 'conversation' },
  { dialect: 'responses', system: 'dated', says: 'codex', signs: true },
  { dialect: 'google', system: 'dated', says: 'nobody', isStock: true },
  { dialect: 'chat', system: 'clock', says: 'opencode' },
  { dialect: 'chat', system: 'none', says: 'named', isStock: true },
].map((app, id) => /** @type {App} */ ({ id, ...app }));

const OPENINGS = ['Hi', 'Hi', 'Hello', 'Hello there', 'Help me', 'What can you do?'];
const STOCK = [
  'Hello! How can I help?',
  'Of course. Tell me more.',
  'Yes.',
  'No, that is not possible.',
  'Anything else?',
];
const THINGS = ['kites', 'boats', 'bridges', 'clocks', 'lamps', 'tides', 'maps', 'ropes', 'sails', 'wells'];

/** A day of the simulated week, as apps write it. */
const DAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];

/**
 * The system text that an app sends at a time for a user; undefined where it has none.
 * @param {App} app
 * @param {{ at: number, user: number, mode?: string, count?: number }} request
 */
export function systemText({ id, system }, { at, user, mode = 'careful', count = 0 }) {
  if (system === 'none') return undefined;
  const date = new Date(at);
  const day = `${DAYS[(date.getUTCDay() + 6) % 7]}, ${date.toISOString().slice(0, 10)}`;
  const text = `You are the assistant of ${THINGS[id % THINGS.length]} and company, department ${'ABCDEFGHIJKLMNOPQRST'[id]}. Be ${mode}.`;
  if (system === 'dated') return `${text} Today is ${day}.`;
  if (system === 'clock') return `${text} It is ${day}, ${date.toISOString().slice(11, 16)}.`;
  if (system === 'counter') return `${text} You have been asked ${count} questions.`;
  return system === 'customer' ? `${text} The customer's number is ${40_000 + user}.` : text;
}

/** @param {number} seed */
export function chance(seed) {
  const next = random(seed);
  return {
    next,
    /** @param {number} share */
    is: (share) => next() < share,
    /**
     * @template T
     * @param {readonly T[]} items
     * @returns {T}
     */
    one: (items) => /** @type {T} */ (items[Math.floor(next() * items.length)]),
    /**
     * @param {number} low
     * @param {number} high
     */
    between: (low, high) => low + Math.floor(next() * (high - low)),
    /** @param {number} length */
    id: (length) => Array.from({ length }, () => Math.floor(next() * 36).toString(36)).join(''),
  };
}

/** @typedef {ReturnType<typeof chance>} Chance */

/**
 * @param {Chance} by
 * @param {boolean} isFirst
 */
export function question(by, isFirst) {
  if (isFirst) return by.one(OPENINGS);
  return by.is(0.3) ? by.one(['And then?', 'Why?', 'Go on.']) : `Tell me of ${by.one(THINGS)} and ${by.one(THINGS)}.`;
}

/**
 * The answer of a model. At temperature 0 the same question always gets the same answer.
 * @param {App} app
 * @param {Chance} by
 * @param {string} asked
 */
export function answerText({ isStock }, by, asked) {
  if (isStock)
    return /** @type {string} */ (
      STOCK[[...asked].reduce((sum, letter) => sum + letter.charCodeAt(0), 0) % STOCK.length]
    );
  const words = Array.from({ length: by.between(4, 40) }, () => by.one(THINGS));
  return `${by.one(STOCK)} ${words.join(' ')} ${by.id(4)}.`;
}

/**
 * What a program says in a body of who speaks and in which session.
 * @param {{ app: App, user: number, session: string }} talk
 */
export function bodyHints({ app, user, session }) {
  if (app.says === 'user')
    return app.dialect === 'claude' ? { metadata: { user_id: `account-${user}` } } : { user: `user-${user}` };
  if (app.says === 'label') return { prompt_cache_key: `app-${app.id}` };
  if (app.says === 'claude-code')
    return {
      metadata: { user_id: JSON.stringify({ device_id: `d${user}`, account_uuid: `a${user}`, session_id: session }) },
    };
  return app.says === 'codex' ? { prompt_cache_key: session } : {};
}

/**
 * The same in headers.
 * @param {{ app: App, session: string, agent?: string | undefined, name: string }} talk
 * @returns {[string, string][]}
 */
export function requestHeaders({ app, session, agent, name }) {
  /** @type {[string, string][]} */
  const given = [['content-type', 'application/json']];
  if (app.says === 'claude-code') given.push(['x-claude-code-session-id', session]);
  if (app.says === 'claude-code' && agent) given.push(['x-claude-code-agent-id', agent]);
  // Each conversation of Codex has a name; twins of one session are two of them.
  if (app.says === 'codex') given.push(['session-id', `${session}-${name}`], ['thread-id', `${session}-${name}`]);
  if (app.says === 'opencode') given.push(['x-session-id', agent ? `${session}-${agent}` : session]);
  if (app.says === 'opencode' && agent) given.push(['x-parent-session-id', session]);
  return given;
}

/** What some programs put in front of every question. @type {readonly Said[]} */
export const EXAMPLES = [
  { role: 'user', text: 'Two and two' },
  { role: 'assistant', text: 'Four.' },
  { role: 'user', text: 'Three and three' },
  { role: 'assistant', text: 'Six.' },
];
