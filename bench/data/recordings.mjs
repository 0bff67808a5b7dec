// Recorded exchanges of programs that talk to Claude, as the recorder and the projector store them: request, response, reply with
// its usage, and its place. A fifth of the conversations has a time in the system text, so its cache misses at every turn.
import { existsSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { openForest } from '@skein/forest';
import { ROOT } from '@skein/forest/store';
import { sha256 } from './records.mjs';
import { prose, random } from './words.mjs';

const MODEL = 'claude-sonnet-4-5';
const START = Date.UTC(2026, 9, 5);
const TURNS = 10;
/** How many conversations go on at the same time. */
const AT_ONCE = 50;
const SYSTEM_TOKENS = 1500;
const TURN_TOKENS = 200;

/**
 * Writes a forest with so many exchanges into a folder, unless it is there. Requests have 9 kB on average.
 * @param {string} folder
 * @param {number} total
 */
export async function writeRecordings(folder, total) {
  if (existsSync(folder)) return;
  const unfinished = `${folder}.unfinished`;
  await rm(unfinished, { recursive: true, force: true });
  const forest = await openForest(unfinished);
  for (let first = 0; first < total; first += AT_ONCE * TURNS) {
    const talks = Array.from({ length: AT_ONCE }, (_, at) => conversation(first / TURNS + at));
    for (let turn = 0; turn < TURNS; turn++)
      await forest.store.append(
        talks.flatMap((talk) => talk.next(START + (first / AT_ONCE + turn) * 60_000, forest.clock)),
      );
  }
  await forest.close();
  await rename(unfinished, folder);
}

/** @param {number} number */
function conversation(number) {
  const next = random(number);
  const app = `app-${number % 20}`;
  const isFaulty = number % 5 === 0;
  const tools = Array.from({ length: 6 }, (_, at) => ({
    name: `tool_${at}`,
    description: prose(random(at), 300),
    input_schema: { type: 'object', properties: { query: { type: 'string' } }, required: ['query'] },
  }));
  const instructions = prose(random(number % 20), 2400);
  /** @type {{ role: string, content: string | object[] }[]} */
  const messages = [];
  // The first conversations of each program wrote tools and system text, which the others read.
  let [parent, turn, held] = [ROOT, 0, number < 20 ? 0 : SYSTEM_TOKENS];
  return {
    /**
     * @param {number} at
     * @param {{ tick(): string }} clock
     * @returns {any[]}
     */
    next(at, clock) {
      const start = at + (number % AT_ONCE) * 1000;
      const system = `${isFaulty ? `It is ${new Date(start).toISOString()}. ` : ''}You are ${app}. ${instructions}`;
      const asked = { role: 'user', content: prose(next, 400) };
      const marker = { cache_control: { type: 'ephemeral' } };
      const last = { ...asked, content: [{ type: 'text', text: asked.content, ...marker }] };
      const body = { model: MODEL, max_tokens: 1024, tools, system: [{ type: 'text', text: system, ...marker }] };
      const request = JSON.stringify({ ...body, messages: [...messages, last] });
      const prompt = SYSTEM_TOKENS + (2 * turn + 1) * TURN_TOKENS;
      const read = isFaulty ? 0 : held;
      held = prompt;
      turn++;
      const answer = { role: 'assistant', content: [{ type: 'text', text: prose(next, 700) }] };
      messages.push(asked, answer);
      const id = `x${String(number).padStart(8, '0')}-${turn}`;
      const usage = {
        input: 0,
        output: 150,
        reasoning: 0,
        cacheRead: read,
        cacheWrite5m: prompt - read,
        cacheWrite1h: 0,
      };
      const reply = JSON.stringify({
        id: `msg_${id}`,
        type: 'message',
        ...answer,
        model: MODEL,
        stop_reason: 'end_turn',
      });
      const raw = JSON.stringify(answer);
      const digest = sha256(raw);
      const node = sha256(`skein-node/1\n${parent}\nanthropic-messages\n${digest}`).slice(0, 40);
      const records = [
        ...exchangeRecords({ id, start, app, request, reply, clock }),
        { k: 'body', digest, text: raw },
        {
          ...{ k: 'node', id: node, parent, depth: turn, dialect: 'anthropic-messages', body: digest },
          ...{ echo: `1:${sha256(`echo ${node}`).slice(0, 32)}`, lead: ROOT, at: start },
          facts: { role: 'assistant', calls: [], results: [], needs: [] },
        },
        {
          ...{ k: 'take', id: sha256(`take ${node}`).slice(0, 32), node, at: start, author: 'model', via: 'record' },
          origin: { dialect: 'anthropic-messages', issuer: 'api.anthropic.com', model: MODEL },
          ...{ provider: 'anthropic', model: MODEL, usage, exchange: id },
        },
        {
          ...{ k: 'ref', on: 'forest', key: id, name: 'landed', clock: clock.tick() },
          value: { rules: 3, state: 'landed', thread: `t${number}`, node, stop: { reason: 'end', native: 'end_turn' } },
        },
      ];
      parent = node;
      return records;
    },
  };
}

/** @param {{ id: string, start: number, app: string, request: string, reply: string, clock: { tick(): string } }} exchange */
function exchangeRecords({ id, start, app, request, reply, clock }) {
  const data = {
    ...{ version: 1, id, start, firstByte: start + 400, end: start + 900, method: 'POST', host: 'api.anthropic.com' },
    ...{ path: '/v1/messages', query: '', kind: 'generate', provider: 'anthropic', dialect: 'anthropic-messages' },
    ...{ issuer: 'api.anthropic.com', model: MODEL, requestHeaders: { 'user-agent': `${app}/1.0` }, status: 200 },
    ...{ responseHeaders: { 'content-type': 'application/json' }, outcome: 'done', tags: [app], writer: 'bench' },
  };
  const order = `${start.toString(36).padStart(9, '0')}.${id}`;
  const part = (/** @type {string} */ name, /** @type {object} */ content) => ({
    ...{ k: 'exchange', id: `${id}/${name}`, of: id, order: name, clock: clock.tick(), data: content },
  });
  return [
    { k: 'exchange', id, of: 'exchanges', order, clock: clock.tick(), data },
    part('request', { text: request }),
    part('response.00000000', { text: reply, at: start + 900 }),
  ];
}
