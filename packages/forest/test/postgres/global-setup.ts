import { createServer } from 'node:http';
import { type Server, startServer } from './server.ts';

/**
 * One PostgreSQL for a whole run of the tests, started by the first test that asks for it and stopped at the end. It
 * belongs to the main process; the workers ask over HTTP.
 */
export default async function setup(): Promise<() => Promise<void>> {
  let server: Promise<Server> | undefined;
  const desk = createServer(async (_, response) => {
    try {
      server ??= startServer();
      response.end((await server).url);
    } catch (error) {
      response.writeHead(500).end(String(error));
    }
  });
  await new Promise<void>((resolve) => desk.listen(0, '127.0.0.1', resolve));
  process.env.SKEIN_TEST_POSTGRES = `http://127.0.0.1:${(desk.address() as { port: number }).port}`;
  return async () => {
    desk.close();
    await server?.then((started) => started.remove()).catch(() => undefined);
  };
}
