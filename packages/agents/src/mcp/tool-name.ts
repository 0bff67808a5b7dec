import { digest } from '@skein/core';

/** The longest name that every provider takes. */
const MAX = 64;

/**
 * `github__create_issue`: the server's name in front, so that no server can take the place of another's tool, in letters
 * that every provider takes. What would be too long, or would lose letters, gets a mark that keeps it apart.
 */
export function mcpToolName(server: string, tool: string): string {
  const plain = `${server}__${tool.replace(/[^A-Za-z0-9_-]/g, '_')}`;
  if (plain.length <= MAX && plain === `${server}__${tool}`) return plain;
  const mark = `_${digest(tool).slice(0, 8)}`;
  return plain.slice(0, MAX - mark.length) + mark;
}
