import { type PriorDiscovery, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import type { Environment } from '@skein/core';
import type { McpServerConfig } from '../config/types.ts';
import { expand } from './expand.ts';
import { connectLink, type Link } from './link.ts';
import { messageOf } from './message-of.ts';

const TAIL = 1_000;

/** Starts the program, or turns to the address. */
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
    // The transport adds PATH, HOME and the like, and nothing else of ours: no keys.
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
    throw said ? new Error(`${messageOf(error)}; it wrote: ${said}`, { cause: error }) : error;
  }
}

/** What a program writes about its trouble may hold what it was given. */
function hide(text: string, values: readonly string[]): string {
  return values
    .filter((value) => value.length > 3)
    .reduce((hidden, value) => hidden.replaceAll(value, '[hidden]'), text);
}
