// A server for the page: a route of @skein/forest behind Node's own HTTP server. Frameworks that hand over a Request need none of this.
import { createServer } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

const HTML = '<!doctype html><body><div id="root"></div></body><script type="module" src="/page.js"></script>';

/**
 * Serves a route under `/api/`, and the page with its program everywhere else.
 *
 * @param {(request: Request) => Promise<Response>} route
 * @param {string} program
 */
export async function serve(route, program) {
  const server = createServer(async (request, response) => {
    const path = new URL(request.url ?? '/', 'http://localhost').pathname;
    if (!path.startsWith('/api/')) {
      response.setHeader('content-type', path === '/page.js' ? 'text/javascript' : 'text/html');
      response.end(path === '/page.js' ? program : HTML);
      return;
    }
    const leaving = new AbortController();
    response.on('close', () => leaving.abort());
    const hasBody = request.method === 'POST';
    const init = {
      method: request.method ?? 'GET',
      signal: leaving.signal,
      ...(hasBody && { body: Readable.toWeb(request), duplex: 'half' }),
    };
    const answer = await route(new Request(`http://localhost${request.url}`, /** @type {RequestInit} */ (init)));
    response.writeHead(answer.status, Object.fromEntries(answer.headers));
    // A page that was closed is no failure.
    await pipeline(answer.body ?? [], response).catch(() => undefined);
  });
  await new Promise((done) => server.listen(0, '127.0.0.1', () => done(undefined)));
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  return {
    url: `http://127.0.0.1:${port}`,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
