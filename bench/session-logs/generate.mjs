// Writes logs in the format of Claude Code: each reply thinks and calls a tool, whose result is a text of some thousand characters.
import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';

const WORDS =
  'function cart price return export const await order total items test expect value string number error'.split(' ');

/**
 * @param {string} folder
 * @param {{ bytes: number, logs: number }} amount in all
 */
export async function generateLogs(folder, { bytes, logs }) {
  await mkdir(folder, { recursive: true });
  for (let log = 0; log < logs; log++) await generateLog(join(folder, `session-${log}.jsonl`), log, bytes / logs);
}

/**
 * @param {string} path
 * @param {number} log
 * @param {number} bytes
 */
async function generateLog(path, log, bytes) {
  const out = createWriteStream(path);
  const session = `session-${log}`;
  /** @type {string | null} */
  let parentUuid = null;
  let written = 0;
  for (let turn = 0; written < bytes; turn++) {
    let text = '';
    const timestamp = new Date(Date.UTC(2026, 10, 1) + turn * 1000).toISOString();
    const add = (/** @type {string} */ type, /** @type {object} */ message, more = {}) => {
      const uuid = randomUUID();
      const line = { parentUuid, isSidechain: false, type, message, uuid, timestamp, ...more };
      const about = { cwd: '/home/mira/shop', sessionId: session, version: '2.1.197', gitBranch: 'main' };
      text += `${JSON.stringify({ ...line, ...about })}\n`;
      parentUuid = uuid;
    };
    if (turn % 20 === 0) add('user', { role: 'user', content: `Task ${turn}: ${words(turn, 20)}` });
    const id = `msg_${log}_${turn}`;
    const call = `toolu_${log}_${turn}`;
    const usage = { input_tokens: 10, cache_read_input_tokens: turn * 100, output_tokens: 80 };
    const reply = (/** @type {object} */ block) => ({
      id,
      type: 'message',
      role: 'assistant',
      model: 'claude-opus-5-5',
      content: [block],
      stop_reason: 'tool_use',
      usage,
    });
    add('assistant', reply({ type: 'thinking', thinking: words(turn + log, 60), signature: 'c2VhbA=='.repeat(40) }));
    add('assistant', reply({ type: 'tool_use', id: call, name: 'Read', input: { file_path: `src/${turn}.ts` } }));
    const content = words(turn * 7 + log, 400 + ((turn * 131) % 1200));
    add('user', { role: 'user', content: [{ type: 'tool_result', tool_use_id: call, content }] });
    written += text.length;
    if (!out.write(text)) await new Promise((resolve) => out.once('drain', () => resolve(undefined)));
  }
  out.end();
  await finished(out);
}

/** Lines of words, from which texts are cut. */
const POOL = Array.from(
  { length: 200_000 },
  (_, at) => `${WORDS[(at * at + (at >> 3)) % WORDS.length]}${at % 12 === 11 ? '\n' : ' '}`,
).join('');

/**
 * A text that no other seed has.
 * @param {number} seed
 * @param {number} count of words
 */
function words(seed, count) {
  const length = count * AVERAGE_LENGTH;
  const from = (seed * 7919) % (POOL.length - length);
  return `${seed} ${POOL.slice(from, from + length)}`;
}

const AVERAGE_LENGTH = 6;
