import type { Tool } from '@skein/core';

/** The same tools, where those that are named, or all, need approval, whatever they say themselves. */
export function withApproval(tools: readonly Tool[], approve: readonly string[] | 'all'): readonly Tool[] {
  return tools.map((tool) =>
    approve === 'all' || approve.includes(tool.name) ? Object.freeze({ ...tool, needsApproval: () => true }) : tool,
  );
}
