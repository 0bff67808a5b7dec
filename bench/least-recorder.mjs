// The least that a recorder has to do for an exchange, without any rule of placement: a pass-through that keeps the bytes of both
// sides, and afterwards reads, hashes, writes, flushes and indexes them. Nothing is escaped, and no message is hashed again that
// the last request of its conversation had. What Skein needs beyond it is its own.
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
 * Adds a record, and what it holds as bytes behind its line: nothing is escaped.
 * @typedef {(key: string, fields: object, bytes?: Buffer) => void} Put
 */

/**
 * The message that came last behind a history: the next request has it again.
 * @typedef {object} KnownMessage
 * @property {string} content
 * @property {string} node
 * @property {string} echo
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
  /** @type {Map<string, KnownMessage>} */
  const known = new Map();
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
      /** @type {Put} */
      const put = (key, fields, bytes) => {
        if (index.has(key)) return;
        const text = Buffer.from(JSON.stringify(bytes ? { ...fields, bytes: bytes.length } : fields));
        const sum = bytes ? crc32(bytes, crc32(text)) : crc32(text);
        const line = Buffer.concat([text, Buffer.from(`#${sum.toString(16)}\n`), ...(bytes ? [bytes] : [])]);
        index.set(key, { start: size, length: line.length });
        size += line.length;
        lines.push(line);
      };
      for (const exchange of exchanges) record(exchange, put, index, known);
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

/** How many messages are remembered. */
const MOST_KNOWN = 5000;

/**
 * Reads an exchange and hands over its records: its bytes and facts, and for each new message a text, a node and a take; one
 * record with everything about its thread, and one with its place.
 * @param {PassedExchange} exchange
 * @param {Put} put
 * @param {ReadonlyMap<string, unknown>} index
 * @param {Map<string, KnownMessage>} known
 */
function record({ id, request, response }, put, index, known) {
  const asked = Buffer.concat(request);
  const answered = Buffer.concat(response);
  const got = answered.toString();
  const { model, messages } = JSON.parse(asked.toString());
  const { message, envelope } = got.startsWith('{') ? readWhole(got) : readEvents(got);
  put(`${id}/request`, { k: 'part', id }, asked);
  put(`${id}/response`, { k: 'part', id }, answered);
  const sum = hash('sha256', asked);
  put(id, { k: 'exchange', id, model, requestSha256: sum, replayKey: sha(`POST ${sum}`) });
  put(sha(envelope), { k: 'body', text: envelope });
  let parent = ROOT;
  let echo = '';
  if (known.size > MOST_KNOWN) known.clear();
  for (const one of [...messages, message]) {
    const { content, ...others } = one;
    const last = known.get(parent);
    const at = last && last.content === content ? last : hashMessage(parent, echo, content);
    if (at !== last) known.set(parent, { content, node: at.node, echo: at.echo });
    const isNew = 'bytes' in at && !index.has(at.node);
    if (isNew) {
      put(at.digest, { k: 'body', digest: at.digest, ...others }, at.bytes);
      put(at.node, { k: 'node', id: at.node, parent, body: at.digest, echo: at.echo, role: one.role });
    }
    if (isNew || one === message) {
      const take = { node: at.node, exchange: id, at: Date.now(), model };
      put(`take ${sha(JSON.stringify(take))}`, { k: 'take', ...take });
    }
    parent = at.node;
    echo = at.echo;
  }
  put(`thread ${id}`, { k: 'thread', head: parent, title: messages[0].content.slice(0, 60), touched: Date.now() });
  put(`place ${id}`, { k: 'place', id, node: parent, thread: id });
}

/**
 * The ids of a message behind a history: by its bytes, and by what it says.
 * @param {string} parent
 * @param {string} echo
 * @param {string} content
 */
function hashMessage(parent, echo, content) {
  const bytes = Buffer.from(content);
  const digest = hash('sha256', bytes);
  const node = sha(`${parent}\n${digest}`).slice(0, 40);
  return { bytes, digest, node, echo: createHash('sha256').update(echo).update(bytes).digest('hex') };
}

/** @param {string} text */
function readWhole(text) {
  const { choices, ...envelope } = JSON.parse(text);
  return { message: choices[0].message, envelope: JSON.stringify(envelope) };
}

const PIECE = '"delta":{"content":"';
const PIECE_END = '"},"';

/**
 * Reads the first event as JSON, and of the others only the piece of text that each brings.
 * @param {string} text
 */
function readEvents(text) {
  const { choices: _, ...rest } = JSON.parse(text.slice('data: '.length, text.indexOf('\n\n')));
  let escaped = '';
  for (let at = text.indexOf(PIECE); at >= 0; ) {
    const end = text.indexOf(PIECE_END, at + PIECE.length);
    escaped += text.slice(at + PIECE.length, end);
    at = text.indexOf(PIECE, end);
  }
  return { message: { role: 'assistant', content: JSON.parse(`"${escaped}"`) }, envelope: JSON.stringify(rest) };
}

/** @param {string} text */
function sha(text) {
  return hash('sha256', text);
}
