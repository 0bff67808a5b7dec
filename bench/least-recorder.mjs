// The least that a recorder has to do for an exchange, without any rule of placement: a pass-through that keeps the bytes of both
// sides, and afterwards reads, hashes, writes, flushes and indexes them. What Skein needs beyond it is its own.
import { createHash, hash } from 'node:crypto';
import { open } from 'node:fs/promises';
import http from 'node:http';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';

/** Records wait as long as those of Skein while other exchanges are under way. */
const WAIT_MS = 500;
const ROOT = '0'.repeat(40);

/**
 * @typedef {object} PassedExchange
 * @property {string} id
 * @property {Buffer[]} request
 * @property {Buffer[]} response
 */

/**
 * Starts a recorder between its clients and a provider.
 * @param {string} upstream
 * @param {string} folder
 * @param {(listener: http.RequestListener) => Promise<{ port: number, end: () => Promise<void> }>} serve
 */
export async function startLeast(upstream, folder, serve) {
  const { hostname, port: to } = new URL(upstream);
  const agent = new http.Agent({ keepAlive: true });
  const file = await open(join(folder, 'least.jsonl'), 'ax');
  const { add, written } = createWriter(file);
  let count = 0;
  const { port, end } = await serve((request, response) => {
    const { method, url = '', headers } = request;
    /** @type {PassedExchange} */
    const exchange = { id: `x${(count++).toString(36).padStart(8, '0')}`, request: [], response: [] };
    const path = url.replace('/proxy/openai', '');
    const sent = http.request({ hostname, port: to, method, path, headers, agent }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.on('data', (bytes) => exchange.response.push(bytes));
      answer.on('end', () => add(exchange));
      answer.pipe(response);
    });
    request.on('data', (bytes) => exchange.request.push(bytes));
    request.pipe(sent);
  });
  return {
    port,
    async end() {
      await written();
      await file.close();
      await end();
    },
  };
}

/** @param {import('node:fs/promises').FileHandle} file */
function createWriter(file) {
  /** The places of all records, by their key. */
  const index = new Map();
  /** @type {PassedExchange[]} */
  let waiting = [];
  let size = 0;
  /** @type {Promise<void> | undefined} */
  let writing;
  const write = async () => {
    while (waiting.length > 0) {
      const exchanges = waiting;
      waiting = [];
      /** @type {Buffer[]} */
      const lines = [];
      const put = (/** @type {string} */ key, /** @type {object} */ record) => {
        if (index.has(key)) return;
        const text = Buffer.from(JSON.stringify(record));
        const line = Buffer.concat([text, Buffer.from(`#${crc32(text).toString(16)}\n`)]);
        index.set(key, { start: size, length: line.length });
        size += line.length;
        lines.push(line);
      };
      for (const exchange of exchanges) record(exchange, put, index);
      const bytes = Buffer.concat(lines);
      await file.write(bytes);
      await file.datasync();
    }
    writing = undefined;
  };
  const start = () => {
    writing ??= new Promise((done) => setTimeout(done, WAIT_MS)).then(write);
    return writing;
  };
  return {
    add(/** @type {PassedExchange} */ exchange) {
      waiting.push(exchange);
      void start();
    },
    written: async () => {
      while (waiting.length > 0 || writing) await start();
    },
  };
}

/**
 * Reads an exchange and hands over its records: its bytes and facts, and for each new message a text, a node and a take; one
 * record with everything about its thread, and one with its place.
 * @param {PassedExchange} exchange
 * @param {(key: string, record: object) => void} put
 * @param {ReadonlyMap<string, unknown>} index
 */
function record({ id, request, response }, put, index) {
  const asked = Buffer.concat(request);
  const sent = asked.toString();
  const got = Buffer.concat(response).toString();
  const { model, messages } = JSON.parse(sent);
  const { message, envelope } = got.startsWith('{') ? readWhole(got) : readEvents(got);
  put(`${id}/request`, { k: 'part', id, text: sent });
  put(`${id}/response`, { k: 'part', id, text: got });
  put(id, { k: 'exchange', id, model, requestSha256: hash('sha256', asked), replayKey: hash('sha256', sent) });
  put(sha(envelope), { k: 'body', text: envelope });
  let parent = ROOT;
  let echo = '';
  let isNew = false;
  for (const one of [...messages, message]) {
    const raw = JSON.stringify(one);
    const digest = sha(raw);
    const node = sha(`${parent}\n${digest}`).slice(0, 40);
    echo = createHash('sha256').update(echo).update(one.content).digest('hex');
    isNew = !index.has(node);
    if (isNew) {
      put(digest, { k: 'body', digest, text: raw });
      put(node, { k: 'node', id: node, parent, body: digest, echo, role: one.role });
    }
    if (isNew || one === message) {
      const take = { node, exchange: id, at: Date.now(), model };
      put(`take ${sha(JSON.stringify(take))}`, { k: 'take', ...take });
    }
    parent = node;
  }
  put(`thread ${id}`, { k: 'thread', head: parent, title: messages[0].content.slice(0, 60), touched: Date.now() });
  put(`place ${id}`, { k: 'place', id, node: parent, thread: id });
}

/** @param {string} text */
function readWhole(text) {
  const { choices, ...envelope } = JSON.parse(text);
  return { message: choices[0].message, envelope: JSON.stringify(envelope) };
}

/** @param {string} text */
function readEvents(text) {
  let content = '';
  let envelope = '';
  for (let at = 0; at < text.length; ) {
    const end = text.indexOf('\n\n', at);
    const data = text.slice(at + 'data: '.length, end);
    at = end + 2;
    if (data === '[DONE]') continue;
    const { choices, ...rest } = JSON.parse(data);
    content += choices[0].delta.content ?? '';
    if (envelope === '') envelope = JSON.stringify(rest);
  }
  return { message: { role: 'assistant', content }, envelope };
}

/** @param {string} text */
function sha(text) {
  return hash('sha256', text);
}
