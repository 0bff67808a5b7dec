// A server with conversations, recordings and work in every state, and one without: the page that pictures and checks look at.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadConfig } from '@skein/agents';
import { assistant, tool, user } from '@skein/core';
import { costOf } from '@skein/core/prices';
import { says, startEmulator } from '@skein/emulator';
import { cassetteFetch, openForest, recordFetch } from '@skein/forest';
import { createServer, seedSample } from '@skein/server';
import { root } from './setup.mjs';

/** @import { Emulator } from '@skein/emulator' */
/** @import { Forest } from '@skein/forest' */
/** @typedef {Awaited<ReturnType<typeof openPageWorld>>} PageWorld */

const PROBLEM = /** @type {const} */ ({
  severity: 'error',
  code: 'wrong-type',
  file: '/home/you/agents/bad.yaml',
  line: 3,
  key: 'model',
  message: 'It has to be a text.',
  fix: 'Write it as provider/model.',
});

const weather = tool({
  name: 'get_weather',
  description: 'The weather in a city',
  input: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  needsApproval: true,
  execute: ({ city }) => `It is 19 °C in ${city}.`,
});

/** @param {string} id @param {string} name @param {string} description */
const agent = (id, name, description) => ({
  ...{ id, name, description, model: { provider: { id: 'anthropic' }, model: 'claude-sonnet-5' } },
  toolNames: ['get_weather'],
  options: async () => ({ options: { model: {}, params: {}, tools: [] }, problems: [] }),
});

const AGENTS = [
  agent('forecaster', 'Forecaster', 'Says what the weather will be, and what to wear.'),
  agent('editor', 'Editor', 'Shortens a text until nothing can be left out, and says what it left out and why.'),
];

/** Everything is in memory, and stays as it is until `close`: the answer that grows never ends. */
export async function openPageWorld() {
  /** @type {(() => void)[]} */
  const held = [];
  let passed = 0;
  // The first text of a stream comes with its third event; only the last conversation has a delay.
  const sleep = () =>
    /** @type {Promise<void>} */ (new Promise((resolve) => (++passed <= 3 ? resolve() : held.push(resolve))));
  const emulator = await startEmulator({ seed: 'page-world', sleep });
  const forest = await openForest(':memory:');
  const empty = await openForest(':memory:');
  const samples = await openForest(':memory:');
  const { config } = await loadConfig({ cwd: '/', env: {}, home: '/nonexistent' });
  const tokens = [
    { name: 'newsletter', variable: 'NEWSLETTER_TOKEN', budget: { costPerDay: 5, requestsPerMinute: 60 } },
    { name: 'ci', variable: 'CI_TOKEN', budget: {} },
  ];
  const options = {
    ...{ config, env: emulator.env(), page: `${root}packages/web/dist`, model: 'anthropic/claude-sonnet-5' },
    tools: [weather],
    .../** @type {object} */ ({ agents: async () => AGENTS }),
  };
  const cassettes = await mkdtemp(join(tmpdir(), 'skein-page-cassettes-'));
  const server = await createServer({
    ...{ ...options, forest, generate: { costOf }, problems: [PROBLEM] },
    config: { ...config, cassettes, gateway: { ...config.gateway, tokens } },
    env: { ...options.env, NEWSLETTER_TOKEN: 'one', CI_TOKEN: 'two' },
  }).listen({ port: 0 });
  // As on a first run: nothing is stored, and no provider has a key of its own.
  const bare = await createServer({ ...options, env: {}, demo: emulator.env(), forest: empty, samples }).listen({
    port: 0,
  });
  // It asks for a token.
  const locked = await createServer({ ...options, forest: empty, token: 'correct-horse' }).listen({ port: 0 });
  await seedSample(forest);
  await seedSample(samples);
  await record(server.url, emulator);
  await recordDrift(forest, cassettes);
  await recordCaching(forest);
  return {
    url: server.url,
    bare: bare.url,
    locked: locked.url,
    forest,
    threads: await writeConversations(forest, server.url, emulator),
    async close() {
      for (const end of held) end();
      await server.close();
      await bare.close();
      await locked.close();
      await emulator.close();
      await forest.close();
      await empty.close();
      await samples.close();
      await rm(cassettes, { recursive: true, force: true });
    },
  };
}

/**
 * Calls of two sessions through the proxy: parallel ones, one that fails, one from the cache.
 * @param {string} url
 * @param {Emulator} emulator
 */
async function record(url, emulator) {
  /** @param {string} content @param {string} session */
  const call = (content, session) =>
    fetch(`${url}/proxy/anthropic/v1/messages`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-api-key': emulator.env().ANTHROPIC_API_KEY ?? '',
        'anthropic-version': '2023-06-01',
        'user-agent': 'weather-bot/1.2',
        'x-skein-tags': 'nightly',
        'x-claude-code-session-id': session,
      },
      body: JSON.stringify({
        model: 'claude-sonnet-5',
        max_tokens: 500,
        messages: [{ role: 'user', content }],
      }),
    }).then((response) => response.text());
  const answer = (/** @type {string} */ text) => ({ ...says(text), usage: { input: 3600, cached: 2700, output: 120 } });
  emulator.script('anthropic-messages', [
    answer('Nineteen degrees and a light wind from the **north**.'),
    answer('Rain in the evening.'),
    answer('Sunny.'),
    { error: { status: 529, message: 'Overloaded' } },
  ]);
  await call('What is the weather in Porto this afternoon, and what should I wear?', 'one');
  await Promise.all([call('And in Lisbon tonight?', 'one'), call('And in Faro tomorrow?', 'one')]);
  await call('Summarise the week for the newsletter.', 'two');
}

/**
 * Cassettes, and what the same program asks today: one request as before, one at another time, one with other words.
 * @param {Forest} forest
 * @param {string} cassette
 */
async function recordDrift(forest, cassette) {
  const answer = async () =>
    Response.json({ choices: [{ index: 0, message: { role: 'assistant', content: 'Fine.' } }] });
  const ask = (/** @type {string} */ content) => ({
    method: 'POST',
    headers: { 'content-type': 'application/json', 'user-agent': 'newsletter/2.0' },
    body: JSON.stringify({ model: 'gpt-5.5', messages: [{ role: 'user', content }] }),
  });
  const address = 'https://api.openai.com/v1/chat/completions';
  const tape = cassetteFetch({ cassette, mode: 'record-missing', fetch: answer });
  for (const words of [
    'Name three rivers of Portugal.',
    'It is 08:00. Greet the reader.',
    'Write a headline.',
    'Sign off.',
  ])
    await (await tape(address, ask(words))).text();
  await tape.finish();
  const send = recordFetch(forest, { fetch: answer });
  for (const words of [
    'Name three rivers of Portugal.',
    'It is 09:30. Greet the reader.',
    'Write a headline with a verb.',
  ])
    await (await send(address, ask(words))).text();
  await send.settled();
}

/**
 * A conversation whose cache is written, read, and lost when the address in the description of a tool changes.
 * @param {Forest} forest
 */
async function recordCaching(forest) {
  const prompts = [5200, 5420, 5610, 5830];
  const answer = async (/** @type {unknown} */ _address, /** @type {RequestInit | undefined} */ init) => {
    const turn = (JSON.parse(String(init?.body)).messages.length - 1) / 2;
    const read = turn === 1 || turn === 3 ? (prompts[turn - 1] ?? 0) : 0;
    const usage = { input_tokens: 0, cache_read_input_tokens: read, output_tokens: 80 };
    return Response.json({
      ...{
        id: `msg_cache_${turn}`,
        type: 'message',
        role: 'assistant',
        model: 'claude-sonnet-5',
        stop_reason: 'end_turn',
      },
      content: [{ type: 'text', text: `Row ${turn + 1}: knit two, purl two.` }],
      usage: { ...usage, cache_creation_input_tokens: (prompts[turn] ?? 0) - read },
    });
  };
  const send = recordFetch(forest, { fetch: answer });
  const cache_control = { type: 'ephemeral' };
  const messages = [];
  for (const [turn, words] of ['Begin a scarf.', 'The next row?', 'And the third?', 'And the last?'].entries()) {
    const port = turn < 2 ? 4001 : 4002;
    const asked = { role: 'user', content: [{ type: 'text', text: words }] };
    const response = await send('https://api.anthropic.com/v1/messages', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'anthropic-version': '2023-06-01', 'user-agent': 'yarn-bot/1.0' },
      body: JSON.stringify({
        ...{ model: 'claude-sonnet-5', max_tokens: 500 },
        tools: [
          { name: 'pattern', description: `Reads http://127.0.0.1:${port}/pattern.`, input_schema: { type: 'object' } },
        ],
        system: [{ type: 'text', text: 'You explain patterns, row by row. '.repeat(500), cache_control }],
        messages: [...messages, { ...asked, content: [{ ...asked.content[0], cache_control }] }],
      }),
    });
    const { content } = /** @type {{ content: object[] }} */ (await response.json());
    messages.push(asked, { role: 'assistant', content });
  }
  await send.settled();
}

/**
 * A recorded conversation that ends with a call of a tool that only its program has.
 * @param {Forest} forest
 */
async function recordOpenCall(forest) {
  const call = { type: 'tool_use', id: 'toolu_open', name: 'read_meter', input: { room: 'kitchen' } };
  const send = recordFetch(forest, {
    fetch: async () =>
      Response.json({
        ...{ id: 'msg_open', type: 'message', role: 'assistant', model: 'claude-sonnet-5', stop_reason: 'tool_use' },
        content: [{ type: 'text', text: 'Let me look at the meter.' }, call],
        usage: { input_tokens: 60, output_tokens: 30 },
      }),
  });
  const response = await send('https://api.anthropic.com/v1/messages', {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'anthropic-version': '2023-06-01', 'user-agent': 'meter-bot/1.0' },
    body: JSON.stringify({
      ...{
        model: 'claude-sonnet-5',
        max_tokens: 500,
        messages: [{ role: 'user', content: 'How warm is the kitchen?' }],
      },
      tools: [{ name: 'read_meter', description: 'Reads a meter', input_schema: { type: 'object' } }],
    }),
  });
  await response.text();
  await send.settled();
  return (await forest.threads.list({ where: ({ title }) => title.startsWith('How warm') })).items[0]?.id ?? '';
}

const LONG = 'A sentence that goes on and on, with more words than any line has room for. ';
const LONG_WORD = 'Alongwordwithoutanyspace'.repeat(6);
const RICH = `## What follows

Euler: $e^{i\\pi} + 1 = 0$, and a table:

| city | degrees |
|:--|--:|
| Porto | 19 |
| Lisbon | 21 |

\`\`\`mermaid
flowchart LR
  A[Ask] --> B[Answer]
\`\`\`

\`\`\`html
<p>Hello</p>
\`\`\`

> A quotation, and [a link](https://example.org/with/${'a-long-path/'.repeat(8)}).

${LONG_WORD}
`;

/**
 * Conversations in the states that samples do not have; the ids by what is special about each.
 * @param {Forest} forest
 * @param {string} url
 * @param {Emulator} emulator
 */
async function writeConversations(forest, url, emulator) {
  /** @param {string} text @param {Parameters<Emulator['script']>[1]} answer @param {string} until the event that is waited for */
  const ask = async (text, answer, until) => {
    const { id, head } = await forest.threads.begin([user(text)]);
    emulator.script('anthropic-messages', answer);
    const asked = await fetch(`${url}/api/v1/generations`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ node: head, thread: id, tools: ['get_weather'] }),
    });
    const generation = /** @type {{ id: string }} */ (await asked.json());
    const events = await fetch(`${url}/api/v1/generations/${generation.id}/events`);
    let seen = '';
    const decoder = new TextDecoder();
    for await (const piece of events.body ?? []) {
      seen += decoder.decode(piece, { stream: true });
      if (seen.includes(until)) break;
    }
    return id;
  };
  const call = { type: /** @type {const} */ ('tool-use'), name: 'get_weather', input: { city: 'Porto' } };
  const long = await forest.threads.begin([user(LONG.repeat(40)), assistant(`${LONG.repeat(60)}\n\n${LONG_WORD}`)], {
    title: `${LONG}${LONG}${LONG_WORD}`,
  });
  const tags = Object.fromEntries(Array.from({ length: 24 }, (_, at) => [`tag-${at}-of-many`, true]));
  await forest.threads.tag(long.id, tags);
  await forest.tag(long.head, tags);
  await forest.note(long.head, LONG);
  const tea = await forest.threads.begin([
    user('Which tea for the evening?'),
    assistant('Rooibos: it has no caffeine.'),
  ]);
  await forest.threads.tag(tea.id, { pinned: true, evening: true });
  await forest.threads.rate(tea.id, 4);
  await forest.threads.fork(tea.id, { title: 'Which tea for the morning?' });
  const old = await forest.threads.begin([user('What was planned for May?'), assistant('Nothing yet.')]);
  await forest.threads.tag(old.id, { archived: true });
  const gone = await forest.threads.begin([user('Forget this, please.'), assistant('Forgotten.')]);
  await forest.threads.delete(gone.id);
  const unasked = await forest.threads.begin([user('Nobody was asked this.')]);
  const deleted = await forest.threads.begin([user('May this go?'), assistant('It may.')]);
  await forest.remove(deleted.head);
  return {
    long: long.id,
    deleted: deleted.head,
    fork: (await forest.threads.fork(long.id, { title: 'A fork' })).id,
    unasked: unasked.id,
    open: await recordOpenCall(forest),
    rich: await ask('What follows from that? Show me everything that you can.', says(RICH), 'event: end'),
    refused: await ask(
      'Would you?',
      { blocks: [{ type: 'text', text: 'I would rather not.' }], stop: 'refusal' },
      '"end"',
    ),
    failed: await ask(
      'Is anybody there?',
      { error: { status: 400, message: 'The model is not available.' } },
      'event: end',
    ),
    waiting: await ask('Porto?', { blocks: [call] }, 'event: approval'),
    growing: await ask(
      'Tell me a long story.',
      says('Once upon a time there was a weaver. And then', { pieces: 37, chunkDelay: 1 }),
      'event: text',
    ),
  };
}
