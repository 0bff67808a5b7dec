import { Client, type PriorDiscovery, type Transport } from '@modelcontextprotocol/client';
import { type Failure, failureOf } from './failure.ts';

/** A client that is connected to a server. */
export interface Link {
  /** The result as the server gave it: not checked, since a server that errs in one tool should not lose all. */
  request(method: string, params: Readonly<Record<string, unknown>>, options: LinkOptions): Promise<unknown>;
  /** What a request that failed tells. */
  failureOf(error: unknown): Failure;
  onClose(listener: () => void): void;
  close(): Promise<void>;
  /** Which protocol it speaks; given to the next start, that need not be found out again. */
  readonly protocol: PriorDiscovery | undefined;
}

interface LinkOptions {
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
}

/** Connects over a transport, by the newest protocol that the server speaks. */
export async function connectLink(
  transport: Transport,
  startMs: number,
  protocol: PriorDiscovery | undefined,
): Promise<Link> {
  const client = new Client({ name: 'skein', version: '0.1.0' }, { versionNegotiation: { mode: 'auto' } });
  const listeners: (() => void)[] = [];
  client.onclose = () => {
    for (const listener of listeners) listener();
  };
  try {
    await client.connect(transport, { timeout: startMs, ...(protocol && { prior: protocol }) });
  } catch (error) {
    await client.close().catch(() => {});
    await transport.close().catch(() => {});
    throw error;
  }
  return {
    request: (method, params, { signal, timeoutMs }) =>
      client.request({ method, params: { ...params } }, ANYTHING, { signal, timeout: timeoutMs }),
    failureOf,
    onClose: (listener) => void listeners.push(listener),
    close: () => client.close(),
    protocol: protocolOf(client),
  };
}

function protocolOf(client: Client): PriorDiscovery | undefined {
  if (client.getProtocolEra() === 'legacy') return { kind: 'legacy' };
  const discover = client.getDiscoverResult();
  return discover && { kind: 'modern', discover };
}

const ANYTHING = {
  '~standard': { version: 1, vendor: 'skein', validate: (value: unknown) => ({ value }) },
} as const;
