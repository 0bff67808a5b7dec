// What continuing each conversation would send: its own last request, with its own system text.

import { SKEW_MS } from './conversations.mjs';

/** @import { Recorded } from './record.mjs' */
/** @import { SimulatedExchange } from './conversations.mjs' */

/** @typedef {{ thread?: string, node?: string, parent?: string }} Landing */

const MODELS = {
  chat: 'openai-chat/gpt-5.5',
  claude: 'anthropic/claude-opus-5-5',
  responses: 'openai/gpt-5.5',
  google: 'google/gemini-3-pro-preview',
};
/** Every system text of the simulation begins with one of these, and nothing else in it does. */
const BEGINNINGS = /You are the assistant of|Generate a concise title/g;

/**
 * @param {readonly Recorded[]} recorded
 * @param {(id: string) => Landing | undefined} landingOf
 * @param {{ forest: any, engine: any }} world
 * @returns {Promise<{ staleHeads: readonly string[], foreignSystems: readonly string[] }>}
 */
export async function checkNextRequests(recorded, landingOf, { forest, engine }) {
  /** @type {Map<string, { exchange: SimulatedExchange, landing: Landing }[]>} */
  const threads = new Map();
  for (const { exchange, id } of recorded) {
    const landing = landingOf(id);
    if (landing?.thread === undefined) continue;
    threads.set(landing.thread, [...(threads.get(landing.thread) ?? []), { exchange, landing }]);
  }
  /** @type {string[]} */
  const staleHeads = [];
  /** @type {string[]} */
  const foreignSystems = [];
  for (const [thread, members] of threads) {
    const { head } = await forest.threads.get(thread);
    const last = members.reduce((latest, one) => (one.exchange.at > latest.exchange.at ? one : latest));
    const { app } = last.exchange.truth;
    const isOne = new Set(members.map(({ exchange }) => exchange.truth.conversation)).size === 1;
    // Turns of a history that the provider keeps have no order but that of the clocks.
    // Of two branches that were asked for within the difference of the clocks, either may be the last.
    const latest = members.filter(({ exchange }) => exchange === last.exchange || mayBeLater(exchange, last.exchange));
    if (
      isOne &&
      app.keeps !== 'conversation' &&
      !latest.some(({ landing }) => head === (landing.node ?? landing.parent))
    )
      staleHeads.push(`${thread} of ${last.exchange.truth.conversation}, app ${app.id}`);
    const asked = members.filter(({ landing }) => head === (landing.node ?? landing.parent));
    const body = await nextBody(engine, head, { model: MODELS[app.dialect], thread });
    if (body === undefined) continue;
    const isOwn = asked.some(({ exchange: { truth } }) => hasSystem(body, truth.system));
    if (!isOwn) foreignSystems.push(`${thread} of ${last.exchange.truth.conversation}, app ${app.id}`);
  }
  return { staleHeads, foreignSystems };
}

/** Undefined for a thread that ends with a call: what it sends next waits for the result. @param {any} engine @param {string} head @param {object} options */
async function nextBody(engine, head, options) {
  try {
    return (await engine.preview(head, options)).body;
  } catch (error) {
    if (/** @type {{ code?: string }} */ (error).code === 'calls_open') return undefined;
    throw error;
  }
}

/** @param {SimulatedExchange} one @param {SimulatedExchange} last */
function mayBeLater({ at, truth }, last) {
  return last.at - at < SKEW_MS && !truth.replies.some((key) => last.truth.follows.includes(key));
}

/** @param {string} body @param {string | undefined} system */
function hasSystem(body, system) {
  const found = body.match(BEGINNINGS)?.length ?? 0;
  return system === undefined ? found === 0 : found === 1 && body.includes(JSON.stringify(system).slice(1, -1));
}
