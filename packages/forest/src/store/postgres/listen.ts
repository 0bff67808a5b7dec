import type { Client } from 'pg';

const FIRST_WAIT_MS = 200;
const LONGEST_WAIT_MS = 10_000;

/** A connection that does nothing but listen; when it breaks, another is made. */
export function listen(
  connect: () => Client,
  channel: string,
  hear: (payload: string) => void,
): { end(): Promise<void> } {
  let client: Client | undefined;
  let timer: NodeJS.Timeout | undefined;
  let wait = FIRST_WAIT_MS;
  let ended = false;

  const again = (broken: Client) => {
    if (client !== broken) return;
    client = undefined;
    broken.end().catch(() => undefined);
    if (ended) return;
    timer = setTimeout(start, wait).unref();
    wait = Math.min(wait * 2, LONGEST_WAIT_MS);
  };
  const start = () => {
    const fresh = connect();
    client = fresh;
    fresh.on('error', () => again(fresh));
    fresh.on('end', () => again(fresh));
    fresh.on('notification', ({ payload }) => hear(payload ?? ''));
    fresh
      .connect()
      .then(() => fresh.query(`listen ${channel}`))
      .then(() => {
        wait = FIRST_WAIT_MS;
        // What was said while nobody listened is not said again.
        hear('');
      })
      .catch(() => again(fresh));
  };
  start();

  return {
    async end() {
      ended = true;
      clearTimeout(timer);
      const last = client;
      client = undefined;
      await last?.end().catch(() => undefined);
    },
  };
}
