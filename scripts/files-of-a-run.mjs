// Prints the files of core that one `run` with one tool call passes through: those of which a function is called after
// core was imported. It looks at the built modules, of which there is one for each source file: build first.
import { Session } from 'node:inspector/promises';
import { fileURLToPath } from 'node:url';

const dist = new URL('../packages/core/dist/', import.meta.url);

/** The stream of a reply: each delta in a chunk of its own. */
const reply = (/** @type {object[]} */ deltas, /** @type {string} */ finish) =>
  [...deltas.map((delta) => ({ delta, finish_reason: null })), { delta: {}, finish_reason: finish }]
    .map((choice) => ({ id: 'r1', object: 'chat.completion.chunk', model: 'm', choices: [{ index: 0, ...choice }] }))
    .map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`)
    .join('')
    .concat('data: [DONE]\n\n');

const call = { index: 0, id: 'call_1', type: 'function', function: { name: 'weather', arguments: '{"city":"Oslo"}' } };
const replies = [
  reply([{ role: 'assistant', tool_calls: [call] }], 'tool_calls'),
  reply([{ role: 'assistant', content: 'Rain.' }], 'stop'),
];

/** Answers one request after the other. */
const fetch = async () => new Response(replies.shift() ?? null, { headers: { 'content-type': 'text/event-stream' } });

const session = new Session();
session.connect();
await session.post('Profiler.enable');
const { run, tool, user } = await import(new URL('index.js', dist).href);
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
const weather = tool({
  name: 'weather',
  input: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  execute: () => 'rain',
});
const { text } = await run({
  model: 'openai-chat/m',
  messages: [user('Weather?')],
  tools: [weather],
  apiKey: 'k',
  baseUrl: 'http://localhost',
  fetch,
}).result;
if (text !== 'Rain.') throw new Error(`The run gave ${JSON.stringify(text)}`);

const { result } = await session.post('Profiler.takePreciseCoverage');
const files = result
  .filter(({ url }) => url.startsWith(dist.href))
  // What begins where the file does is the module itself.
  .filter(({ functions }) => functions.some(({ ranges: [range] }) => range && range.startOffset > 0 && range.count > 0))
  .map(({ url }) => fileURLToPath(url).slice(fileURLToPath(dist).length))
  .sort();
console.log(files.join('\n'));
console.log(`${files.length} files`);
