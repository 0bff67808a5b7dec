// Records simulated exchanges with the real recorder, each by its server's clock.

/** @import { SimulatedExchange } from './conversations.mjs' */

/**
 * @typedef {object} Recorded
 * @property {SimulatedExchange} exchange
 * @property {string} id
 * @property {readonly any[]} records
 */

/**
 * @param {readonly SimulatedExchange[]} exchanges
 * @param {{ createForest: any, createRecorder: any, memoryStore: any }} forest the package
 * @returns {Promise<Recorded[]>}
 */
export async function recordAll(exchanges, { createForest, createRecorder, memoryStore }) {
  let now = 0;
  /** @type {any[]} */
  let written = [];
  const recorders = ['server-a', 'server-b'].map((writer) => {
    // Appended records are held back: they arrive later, in another order.
    const append = async (/** @type {readonly any[]} */ records) => void written.push(...records);
    return createRecorder(createForest({ ...memoryStore(), writer, append }, { now: () => now }), { onError: fail });
  });
  /** @type {Recorded[]} */
  const recorded = [];
  for (const exchange of exchanges) {
    const { server, start, end, url, headers, body, reply, status, outcome, thread } = exchange;
    written = [];
    now = start;
    const recorder = recorders[server];
    const recording = recorder.begin({ method: 'POST', url, headers, body, ...(thread !== undefined && { thread }) });
    const type = reply.startsWith('{') ? 'application/json' : 'text/event-stream';
    recording.head(status, [['content-type', type]]);
    now = end;
    recording.push(new TextEncoder().encode(reply));
    recording.end(outcome);
    await recorder.stored();
    recorded.push({ exchange, id: recording.id, records: written });
  }
  return recorded;
}

/** @param {unknown} error */
function fail(error) {
  throw error;
}
