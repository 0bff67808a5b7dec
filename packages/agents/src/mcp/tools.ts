import { type JsonObject, type Tool, tool } from '@skein/core';
import type { McpServerConfig } from '../config/types.ts';
import { isRecord } from '../files/shape.ts';
import type { Connection } from './connection.ts';
import { outputOf } from './result.ts';
import { schemaProblem } from './schema-problem.ts';
import { mcpToolName } from './tool-name.ts';

/** A tool of a server, with the name that it has there. */
export interface McpTool {
  readonly remoteName: string;
  readonly tool: Tool;
}

export interface McpTools {
  readonly tools: readonly McpTool[];
  /** What was left out, and why. */
  readonly problems: readonly string[];
}

/** The tools that a server lists. One that cannot be used is left out; the others are not. */
export function mcpToolsOf(
  server: string,
  found: readonly unknown[],
  config: McpServerConfig,
  link: Connection,
): McpTools {
  const tools = new Map<string, McpTool>();
  const problems: string[] = [];
  for (const one of found) {
    const remoteName = isRecord(one) && typeof one.name === 'string' && one.name !== '' ? one.name : undefined;
    const problem = remoteName === undefined ? 'it has no name' : schemaProblem((one as JsonObject).inputSchema);
    const name = mcpToolName(server, remoteName ?? '');
    if (remoteName === undefined || problem !== undefined) problems.push(`${name} is left out: ${problem}`);
    else if (tools.has(name)) problems.push(`${name} is there twice; the first one counts`);
    else tools.set(name, { remoteName, tool: mcpTool(name, remoteName, one as JsonObject, config, link) });
  }
  return { tools: [...tools.values()], problems };
}

function mcpTool(name: string, remoteName: string, told: JsonObject, config: McpServerConfig, link: Connection): Tool {
  const { description, inputSchema, annotations } = told;
  const { $schema: _, ...input } = inputSchema as JsonObject;
  return tool({
    name,
    ...(typeof description === 'string' && { description }),
    input,
    timeoutMs: config.callSeconds * 1000,
    needsApproval: config.approve === 'all' || (config.approve === 'annotations' && needsApproval(annotations)),
    execute: async (given, { signal }) =>
      outputOf(await link.request('tools/call', { name: remoteName, arguments: plain(given) }, signal)),
  }) as Tool;
}

/**
 * Whether a call needs approval, by what the server says of the tool: not if it only reads, and not if it is said to
 * destroy nothing. A server that says nothing, or both, is not trusted.
 */
function needsApproval(annotations: unknown): boolean {
  const { readOnlyHint, destructiveHint } = isRecord(annotations) ? annotations : {};
  if (readOnlyHint === true) return destructiveHint === true;
  return destructiveHint !== false;
}

/** The protocol's JSON writer knows no `bigint`: its digits say the same, a rounded number does not. */
function plain(value: unknown): unknown {
  if (typeof value === 'bigint') return String(value);
  if (Array.isArray(value)) return value.map(plain);
  return isRecord(value) ? Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, plain(inner)])) : value;
}
