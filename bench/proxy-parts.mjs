// One process of the proxy's measurement: the provider, a plain pass-through, the least recorder, or Skein. Told which, where to go on, and
// where to record.
import http from 'node:http';
import { opaque, prose, random } from './data/words.mjs';
import { startLeast } from './least-recorder.mjs';

const EVENTS = 40;
const [role = '', upstream = '', folder = ''] = process.argv.slice(2);
const event = `data: ${JSON.stringify({
  id: 'chatcmpl-1',
  object: 'chat.completion.chunk',
  model: 'gpt-5',
  choices: [{ index: 0, delta: { content: 'some more words of an answer '.repeat(3) }, finish_reason: null }],
})}\n\n`;

const listen = {
  provider: startProvider,
  plain: startPlain,
  least: () => startLeast(upstream, folder, serve),
  skein: startSkein,
}[role];
const { port, end } = await /** @type {NonNullable<typeof listen>} */ (listen)();
process.on('message', (wish) => {
  if (wish === 'memory') globalThis.gc?.();
  const { user, system } = process.cpuUsage();
  const peak = process.resourceUsage().maxRSS * 1024;
  process.send?.({ cpu: (user + system) / 1000, heap: process.memoryUsage().heapUsed, peak });
});
process.once('disconnect', async () => {
  await end();
  process.exit();
});
process.send?.({ port });

/** A stream whose events come one by one, or what the request asks for in `x-reply`. */
function startProvider() {
  return serve((request, response) => {
    request.resume().on('end', () => {
      const wish = request.headers['x-reply'];
      if (wish !== undefined) return void reply(response, String(wish));
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      let left = EVENTS;
      const next = () => {
        if (left-- > 0) {
          response.write(event);
          setTimeout(next, 1);
        } else response.end('data: [DONE]\n\n');
      };
      next();
    });
  });
}

const next = random(1);

/**
 * `json <characters>`: one object; `stream <deltas>`: one event after the other; `burst <deltas>`: all events at once.
 * @param {http.ServerResponse} response
 * @param {string} wish
 */
async function reply(response, wish) {
  const [kind, size] = wish.split(' ');
  const common = {
    id: `chatcmpl-${opaque(next, 29)}`,
    created: 1_760_000_000,
    model: 'gpt-5-2025-08-07',
    service_tier: 'default',
  };
  const usage = { prompt_tokens: 100, completion_tokens: 200, total_tokens: 300 };
  if (kind === 'json') {
    const message = { role: 'assistant', content: prose(next, Number(size)), refusal: null, annotations: [] };
    const choices = [{ index: 0, message, logprobs: null, finish_reason: 'stop' }];
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ ...common, object: 'chat.completion', choices, usage }, null, 2));
    return;
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  /** @param {object} delta @param {string | null} finish */
  const chunk = (delta, finish) => {
    const choices = [{ index: 0, delta, logprobs: null, finish_reason: finish }];
    return `data: ${JSON.stringify({ ...common, object: 'chat.completion.chunk', choices, obfuscation: opaque(next, 7) })}\n\n`;
  };
  const words = Array.from({ length: Number(size) }, () => chunk({ content: prose(next, 8) }, null));
  const events = [chunk({ role: 'assistant', content: '' }, null), ...words, chunk({}, 'stop'), 'data: [DONE]\n\n'];
  if (kind === 'burst') return void response.end(events.join(''));
  for (const one of events) {
    response.write(one);
    await new Promise((done) => setImmediate(done));
  }
  response.end();
}

/** The simplest pass-through. */
function startPlain() {
  const { hostname, port: to } = new URL(upstream);
  const agent = new http.Agent({ keepAlive: true });
  return serve((request, response) => {
    const { method, url = '', headers } = request;
    const path = url.replace('/proxy/openai', '');
    const sent = http.request({ hostname, port: to, method, path, headers, agent }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    request.pipe(sent);
  });
}

async function startSkein() {
  /** @param {string} name */
  const built = (name) => import(new URL(`../packages/${name}/dist/index.js`, import.meta.url).href);
  const { createServer } = await built('server');
  const { createForest, fileStore } = await built('forest');
  const { loadConfig } = await built('agents');
  const { config } = await loadConfig({ cwd: '/', env: {}, home: '/nonexistent' });
  const forest = createForest(await fileStore(folder));
  const env = { OPENAI_BASE_URL: `${upstream}/v1` };
  const listening = await createServer({ forest, config, env }).listen({ port: 0 });
  const stop = async () => {
    await listening.close();
    await forest.close();
  };
  return { port: Number(new URL(listening.url).port), end: stop };
}

/** @param {http.RequestListener} listener */
async function serve(listener) {
  // A connection is not closed by one side while the other takes it for its next request.
  const server = http.createServer({ keepAliveTimeout: 600_000 }, listener);
  await new Promise((done) => server.listen(0, '127.0.0.1', () => done(undefined)));
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  return { port, end: async () => void server.closeAllConnections() };
}
