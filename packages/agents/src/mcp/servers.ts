import type { Environment } from '@skein/core';
import type { McpServerConfig } from '../config/types.ts';
import { type ConnectionOptions, connection, errorMessage } from './connection.ts';
import type { Link } from './link.ts';
import { offerTools } from './offers.ts';
import { listAll, type McpTools, readMcpTools } from './tools.ts';

/** How MCP servers are started and watched. */
export interface McpOptions {
  /** Variables for `${NAME}` in headers and env; default: those of the process. */
  readonly env?: Environment;
  readonly backoffMs?: ConnectionOptions['backoffMs'];
  readonly probeMs?: ConnectionOptions['probeMs'];
}

/** MCP servers by name. Each starts on first use, and its failure does not affect the others. */
export interface McpServers {
  readonly names: readonly string[];
  /** The tools of a server; while it is down, its last known tools. Never throws: `problems` says what is wrong. */
  tools(name: string): Promise<McpTools>;
  /** Stops all servers. */
  close(): Promise<void>;
}

/**
 * The configured servers. Nothing is started yet.
 *
 * @example
 * const servers = mcpServers(config.mcp);
 * const { tools, problems } = await servers.tools('files');
 * await servers.close();
 */
export function mcpServers(configs: Readonly<Record<string, McpServerConfig>>, options: McpOptions = {}): McpServers {
  const servers = new Map(Object.entries(configs).map(([name, config]) => [name, oneServer(name, config, options)]));
  return {
    names: [...servers.keys()],
    tools: async (name) =>
      (await servers.get(name)?.tools()) ?? { tools: [], problems: [`there is no server "${name}"`] },
    close: async () => {
      await Promise.all([...servers.values()].map((server) => server.close()));
    },
  };
}

function oneServer(name: string, config: McpServerConfig, { env = process.env, backoffMs, probeMs }: McpOptions) {
  const startMs = config.startSeconds * 1000;
  let protocol: Link['protocol'];
  const open = async () => {
    const known = protocol;
    // Another version of the server may use another protocol version, so it is negotiated again.
    protocol = undefined;
    // The client is large, and most configurations have no servers.
    const { openLink } = await import('./link.ts');
    const opened = await openLink(config, env, known);
    protocol = opened.protocol;
    return opened;
  };
  const link = connection({
    name,
    open,
    callMs: config.callSeconds * 1000,
    ...(backoffMs && { backoffMs }),
    ...(probeMs !== undefined && { probeMs }),
  });
  let last: McpTools | undefined;
  const failing = (why: string): McpTools => ({
    tools: last?.tools ?? [],
    problems: [`the server is not there: ${why}`],
  });
  return {
    close: link.close,
    tools: async (): Promise<McpTools> => {
      // A run does not wait for a server that keeps failing.
      const resting = link.resting();
      if (resting !== undefined) return failing(resting);
      try {
        const found = await listAll(link, 'tools/list', 'tools', AbortSignal.timeout(startMs));
        const { tools, problems } = readMcpTools(name, found, config, link);
        const offered = offerTools(name, config, link).filter((one) =>
          tools.every(({ tool }) => tool.name !== one.tool.name),
        );
        last = { tools: [...tools, ...offered], problems };
        return last;
      } catch (error) {
        return failing(errorMessage(error));
      }
    },
  };
}
