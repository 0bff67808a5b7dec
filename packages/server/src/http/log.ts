/** One line of JSON for each thing that happened. Neither bodies nor secrets go in. */
export interface Log {
  info(event: string, facts?: Readonly<Record<string, unknown>>): void;
  error(event: string, error: unknown, facts?: Readonly<Record<string, unknown>>): void;
}

export function createLog(write: (line: string) => void, now: () => Date = () => new Date()): Log {
  const line = (level: string, event: string, facts: Readonly<Record<string, unknown>> = {}) =>
    write(JSON.stringify({ time: now().toISOString(), level, event, ...facts }));
  return {
    info: (event, facts) => line('info', event, facts),
    error(event, error, facts) {
      const { name, message, code, stack } = (error ?? {}) as Partial<Error> & { code?: unknown };
      const text = name === undefined ? String(error) : `${name}: ${message}`;
      line('error', event, { ...facts, error: text, ...(code !== undefined && { code }), ...(stack && { stack }) });
    },
  };
}

export const silentLog: Log = { info: () => undefined, error: () => undefined };
