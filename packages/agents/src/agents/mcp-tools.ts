import type { Tool } from '@skein/core';
import type { Problem } from '../files/problem.ts';
import type { McpServers } from '../mcp/servers.ts';
import type { McpRef } from './tools.ts';

/** The tools of the servers that an agent names, all asked at once. */
export async function mcpTools(
  refs: readonly McpRef[],
  serversOf: (name: string) => McpServers,
  file: string,
): Promise<{ readonly tools: readonly Tool[]; readonly problems: readonly Problem[] }> {
  const names = [...new Set(refs.map(({ server }) => server))];
  const problems: Problem[] = [];
  const tell = (code: 'mcp-server' | 'mcp-tool', name: string, message: string, fix: string) =>
    problems.push({ severity: 'notice', code, file, line: undefined, key: `mcp:${name}`, message, fix });
  const found = await Promise.all(
    names.map(async (name) => {
      const { tools, problems: said } = await serversOf(name).tools(name);
      for (const message of said) tell('mcp-server', name, message, 'The agent works without what is missing.');
      const wanted = refs.filter(({ server }) => server === name).map(({ tool }) => tool);
      for (const one of wanted)
        if (one !== undefined && tools.length > 0 && !tools.some(({ remoteName }) => remoteName === one))
          tell(
            'mcp-tool',
            `${name}/${one}`,
            'The server has no such tool.',
            `It has: ${tools.map(({ remoteName }) => remoteName).join(', ')}.`,
          );
      return tools.filter(({ remoteName }) => wanted.includes(undefined) || wanted.includes(remoteName));
    }),
  );
  return { tools: found.flat().map(({ tool }) => tool), problems };
}
