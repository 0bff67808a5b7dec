import type { Tool } from '@skein/core';

/**
 * The same tools, where those that are named, or all, need approval, whatever they say themselves. Which tools a server
 * has is known only now: where it has none by that name, all of it needs approval, and the name is in `unmatched`.
 */
export function withApproval(
  tools: readonly Tool[],
  approve: readonly string[] | 'all',
  servers: readonly string[] = [],
): { readonly tools: readonly Tool[]; readonly unmatched: readonly string[] } {
  const serverOf = (name: string) => servers.find((server) => name.startsWith(`${server}__`));
  const names = new Set(tools.map(({ name }) => name));
  const there = new Set(tools.map(({ name }) => serverOf(name)));
  const unmatched = approve === 'all' ? [] : approve.filter((name) => !names.has(name) && there.has(serverOf(name)));
  const guarded = new Set(unmatched.map(serverOf));
  const needs = (name: string) =>
    approve === 'all' || approve.includes(name) || (guarded.size > 0 && guarded.has(serverOf(name)));
  return {
    tools: tools.map((tool) => (needs(tool.name) ? Object.freeze({ ...tool, needsApproval: () => true }) : tool)),
    unmatched,
  };
}
