import type { Server } from 'node:http';

/** `patience` is how long connections may stay open. */
export async function closeServer(server: Server, patience: Promise<unknown>): Promise<void> {
  void patience.then(() => server.closeAllConnections());
  await new Promise<void>((done) => {
    server.close(() => done());
    server.closeIdleConnections();
  });
}

/** Keeps no process alive. */
export function sleep(ms: number): Promise<void> {
  return new Promise((done) => setTimeout(done, ms).unref());
}

/** Waits for the work, but no longer. */
export async function within(ms: number, work: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((done) => {
    timer = setTimeout(done, ms);
  });
  await Promise.race([work, late]);
  clearTimeout(timer);
}
