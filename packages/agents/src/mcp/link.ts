import {
  Client,
  type PriorDiscovery,
  ProtocolError,
  SdkError,
  SdkHttpError,
  StreamableHTTPClientTransport,
  type Transport,
} from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import type { Environment } from '@skein/core';
import type { McpServerConfig } from '../config/types.ts';
import { errorMessage } from './connection.ts';

/** A client that is connected to a server. */
export interface Link {
  /** The result of the server, unchecked: a mistake in one tool must not lose all the others. */
  request(method: string, params: Readonly<Record<string, unknown>>, options: LinkOptions): Promise<unknown>;
  /** Tells what happened to a failed request. */
  classifyFailure(error: unknown): Failure;
  onClose(listener: () => void): void;
  close(): Promise<void>;
  /** The protocol version of the server, which saves the next start the negotiation. */
  readonly protocol: PriorDiscovery | undefined;
  /** Whether the server has prompts, and resources. */
  readonly offers: Offers;
}

/** What a server has beside tools. */
export interface Offers {
  readonly prompts: boolean;
  readonly resources: boolean;
}

interface LinkOptions {
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
}

/** Connects over a transport, by the newest protocol that the server speaks. */
async function connectLink(transport: Transport, startMs: number, protocol: PriorDiscovery | undefined): Promise<Link> {
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
    classifyFailure,
    onClose: (listener) => void listeners.push(listener),
    close: () => client.close(),
    protocol: protocolOf(client),
    offers: offersOf(client),
  };
}

function offersOf(client: Client): Offers {
  const { prompts, resources } = client.getServerCapabilities() ?? {};
  return { prompts: prompts !== undefined, resources: resources !== undefined };
}

function protocolOf(client: Client): PriorDiscovery | undefined {
  if (client.getProtocolEra() === 'legacy') return { kind: 'legacy' };
  const discover = client.getDiscoverResult();
  return discover && { kind: 'modern', discover };
}

const ANYTHING = {
  '~standard': { version: 1, vendor: 'skein', validate: (value: unknown) => ({ value }) },
} as const;

/**
 * `answered`: the server answered with an error. `unsent`: the server never received the request, so it can be sent again.
 * `lost`: it is not known whether the request had an effect.
 */
export type Failure = 'answered' | 'unsent' | 'lost';

/** Tells what happened to a failed request. */
export function classifyFailure(error: unknown): Failure {
  if (error instanceof ProtocolError) return 'answered';
  if (error instanceof SdkHttpError) {
    const { status } = error;
    // 404: a restarted server does not know the session.
    if (status === 404) return 'unsent';
    return status !== undefined && status < 500 ? 'answered' : 'lost';
  }
  if (error instanceof SdkError && error.code === 'NOT_CONNECTED') return 'unsent';
  return NEVER_CONNECTED.has(systemCode(error) ?? '') ? 'unsent' : 'lost';
}

const NEVER_CONNECTED = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EHOSTUNREACH', 'UND_ERR_CONNECT_TIMEOUT']);

function systemCode(error: unknown): string | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause)
    if ('code' in cause && typeof cause.code === 'string' && NEVER_CONNECTED.has(cause.code)) return cause.code;
  return undefined;
}

const TAIL = 1_000;

/** Starts the program, or connects to the address. */
export async function openLink(
  config: McpServerConfig,
  env: Environment,
  protocol: PriorDiscovery | undefined,
): Promise<Link> {
  const startMs = config.startSeconds * 1000;
  if (config.kind === 'http') {
    const headers = expand(config.headers, env);
    const transport = new StreamableHTTPClientTransport(new URL(config.url), { requestInit: { headers } });
    return connectLink(transport, startMs, protocol);
  }
  const own = expand(config.env, env);
  const transport = new StdioClientTransport({
    command: config.command,
    args: [...config.args],
    cwd: config.cwd,
    // The transport adds PATH, HOME and the like, but none of our keys.
    env: own,
    stderr: 'pipe',
  });
  let tail = '';
  transport.stderr?.on('data', (piece: Buffer) => {
    tail = (tail + piece.toString()).slice(-TAIL);
  });
  try {
    return await connectLink(transport, startMs, protocol);
  } catch (error) {
    const said = hide(tail.trim(), Object.values(own));
    throw said ? new Error(`${errorMessage(error)}; it wrote: ${said}`, { cause: error }) : error;
  }
}

/** Removes secrets: a program may print the variables that it received. */
function hide(text: string, values: readonly string[]): string {
  return values
    .filter((value) => value.length > 3)
    .reduce((hidden, value) => hidden.replaceAll(value, '[hidden]'), text);
}

/** Replaces `${NAME}` with variables. Throws if one is not set, because an incomplete header is useless. */
function expand(values: Readonly<Record<string, string>>, env: Environment): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values).map(([key, value]) => [
      key,
      value.replace(VARIABLE, (_, name: string) => readVariable(name, env)),
    ]),
  );
}

const VARIABLE = /\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g;

function readVariable(name: string, env: Environment): string {
  const value = env[name];
  if (value === undefined || value === '') throw new Error(`the variable ${name} is not set`);
  return value;
}
