import { Client, type Transport } from '@modelcontextprotocol/client';

/** A client that is connected to a server. */
export interface Link {
  /** The result as the server gave it: not checked, since a server that errs in one tool should not lose all. */
  request(method: string, params: Readonly<Record<string, unknown>>, options: LinkOptions): Promise<unknown>;
  onClose(listener: () => void): void;
  close(): Promise<void>;
}

export interface LinkOptions {
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
}

/** Connects over a transport, by the newest protocol that the server speaks. */
export async function connectLink(transport: Transport, startMs: number): Promise<Link> {
  const client = new Client({ name: 'skein', version: '0.1.0' }, { versionNegotiation: { mode: 'auto' } });
  const listeners: (() => void)[] = [];
  client.onclose = () => {
    for (const listener of listeners) listener();
  };
  try {
    await client.connect(transport, { timeout: startMs });
  } catch (error) {
    await client.close().catch(() => {});
    await transport.close().catch(() => {});
    throw error;
  }
  return {
    request: (method, params, { signal, timeoutMs }) =>
      client.request({ method, params: { ...params } }, ANYTHING, { signal, timeout: timeoutMs }),
    onClose: (listener) => void listeners.push(listener),
    close: () => client.close(),
  };
}

const ANYTHING = {
  '~standard': { version: 1, vendor: 'skein', validate: (value: unknown) => ({ value }) },
} as const;
