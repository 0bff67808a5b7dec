// One process of the proxy's measurement: the provider, a plain pass-through, or Skein. Told which, where to go on, and
// where to record.
import http from 'node:http';

const EVENTS = 40;
const [role = '', upstream = '', folder = ''] = process.argv.slice(2);
const event = `data: ${JSON.stringify({
  id: 'chatcmpl-1',
  object: 'chat.completion.chunk',
  model: 'gpt-5',
  choices: [{ index: 0, delta: { content: 'some more words of an answer '.repeat(3) }, finish_reason: null }],
})}\n\n`;

const listen = { provider: startProvider, plain: startPlain, skein: startSkein }[role];
const { port, end } = await /** @type {NonNullable<typeof listen>} */ (listen)();
process.on('message', (wish) => {
  if (wish === 'memory') globalThis.gc?.();
  const { user, system } = process.cpuUsage();
  process.send?.({ cpu: (user + system) / 1000, heap: process.memoryUsage().heapUsed });
});
process.once('disconnect', async () => {
  await end();
  process.exit();
});
process.send?.({ port });

/** A stream whose events come one by one. */
function startProvider() {
  return serve((request, response) => {
    request.resume().on('end', () => {
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
