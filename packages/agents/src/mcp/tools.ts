import { type ContentBlock, digest, type JsonObject, type Tool, type ToolOutput, tool } from '@skein/core';
import type { McpServerConfig } from '../config/types.ts';
import { isRecord } from '../files/shape.ts';
import type { Connection } from './connection.ts';

/** A tool, with its name on the server. */
export interface McpTool {
  readonly remoteName: string;
  readonly tool: Tool;
}

/** The tools of one MCP server. */
export interface McpTools {
  readonly tools: readonly McpTool[];
  /** What was left out, and why. */
  readonly problems: readonly string[];
}

/** The usable tools of a server's list. */
export function readMcpTools(
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
  const { description, inputSchema, annotations, outputSchema } = told;
  const { $schema: _, ...input } = inputSchema as JsonObject;
  const checkOutput = outputCheck(name, outputSchema);
  return tool({
    name,
    ...(typeof description === 'string' && { description }),
    input,
    timeoutMs: config.callSeconds * 1000,
    needsApproval: config.approve === 'all' || (config.approve === 'annotations' && needsApproval(annotations)),
    execute: async (given, { signal }) => {
      const result = await link.request('tools/call', { name: remoteName, arguments: plain(given) }, signal);
      const output = toToolOutput(result);
      await checkOutput((result as JsonObject).structuredContent);
      return output;
    },
  }) as Tool;
}

/** A check of structured results by the server's own schema. It throws: a model must not build on a wrong result. */
function outputCheck(name: string, schema: unknown): (structured: unknown) => Promise<void> {
  if (schemaProblem(schema) !== undefined) return async () => undefined;
  const { $schema: _, ...output } = schema as JsonObject;
  // The arguments of a tool are checked in the same way.
  const checker = tool({ name, input: output, execute: () => '' });
  return async (structured) => {
    if (structured === undefined)
      throw new Error('The MCP server gave back no structured result, although the tool has an output schema.');
    const { issues } = await checker.check(JSON.stringify(structured));
    if (!issues) return;
    const wrong = issues.map(({ message, path = [] }) => (path.length > 0 ? `${path.join('.')}: ${message}` : message));
    throw new Error(`The result of the MCP server does not match its output schema: ${wrong.join('; ')}`);
  };
}

/**
 * Whether a call needs approval, by the server's annotations: not if the tool only reads, and not if it destroys nothing.
 * Without annotations, or with contradictory ones, it needs approval.
 */
function needsApproval(annotations: unknown): boolean {
  const { readOnlyHint, destructiveHint } = isRecord(annotations) ? annotations : {};
  if (readOnlyHint === true) return destructiveHint === true;
  return destructiveHint !== false;
}

/** The protocol's JSON writer cannot write a `bigint`. Its digits as a text are exact, unlike a rounded number. */
function plain(value: unknown): unknown {
  if (typeof value === 'bigint') return String(value);
  if (Array.isArray(value)) return value.map(plain);
  return isRecord(value) ? Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, plain(inner)])) : value;
}

/** The longest name that every provider accepts. */
const MAX = 64;

/**
 * `github__create_issue`: the prefix prevents a server from replacing the tool of another. Only characters that every
 * provider accepts are used. A name that is too long or loses characters gets a suffix that keeps it unique.
 */
export function mcpToolName(server: string, tool: string): string {
  const plain = `${server}__${tool.replace(/[^A-Za-z0-9_-]/g, '_')}`;
  if (plain.length <= MAX && plain === `${server}__${tool}`) return plain;
  const mark = `_${digest(tool).slice(0, 8)}`;
  return plain.slice(0, MAX - mark.length) + mark;
}

/** The result of a call as the output of a tool. Throws if the server marks the result as an error. */
function toToolOutput(result: unknown): ToolOutput {
  if (!isRecord(result)) throw new Error('The MCP server gave back something that is no result.');
  const content = Array.isArray(result.content) ? result.content.map(toBlock) : [];
  const structured = result.structuredContent;
  const blocks = [
    ...content,
    ...(structured === undefined || isSaid(structured, content) ? [] : [jsonBlock(structured)]),
  ];
  if (result.isError === true) throw new Error(textOf(blocks) || 'The tool failed, and did not say why.');
  if (blocks.length > 0) return blocks;
  return Array.isArray(result.content) ? 'The tool gave back nothing.' : [jsonBlock(result)];
}

/** A content block of a server. */
export function toBlock(block: unknown): ContentBlock {
  if (!isRecord(block)) return jsonBlock(block);
  const { type, text, data, mimeType, resource } = block;
  if (type === 'text' && typeof text === 'string') return { type: 'text', text };
  if ((type === 'image' || type === 'audio') && typeof data === 'string')
    return mediaBlock(mimeType, data) ?? jsonBlock(block);
  if (type === 'resource' && isRecord(resource)) return resourceBlock(resource) ?? jsonBlock(block);
  // Links, and kinds that are not known here, stay as they are.
  return jsonBlock(block);
}

/** The contents of a resource; undefined if they are neither text nor data. */
export function resourceBlock({
  uri,
  text,
  blob,
  mimeType,
}: Readonly<Record<string, unknown>>): ContentBlock | undefined {
  if (typeof text === 'string') return { type: 'text', text: `${String(uri)}:\n${text}` };
  return typeof blob === 'string' ? mediaBlock(mimeType, blob) : undefined;
}

function mediaBlock(mediaType: unknown, data: string): ContentBlock | undefined {
  const isNamed = typeof mediaType === 'string' && /^[a-z]+\/[a-z0-9.+-]+$/i.test(mediaType);
  if (!isNamed || !/^[A-Za-z0-9+/]+={0,2}$/.test(data)) return undefined;
  return { type: 'media', mediaType, source: { kind: 'base64', data } };
}

const jsonBlock = (value: unknown): ContentBlock => ({ type: 'text', text: JSON.stringify(value) ?? 'null' });

/** Servers should also give structured results as text; then one of the two is enough. */
function isSaid(structured: unknown, content: readonly ContentBlock[]): boolean {
  const wanted = JSON.stringify(structured);
  return content.some((block) => {
    if (block.type !== 'text') return false;
    try {
      return JSON.stringify(JSON.parse(block.text)) === wanted;
    } catch {
      return false;
    }
  });
}

function textOf(blocks: readonly ContentBlock[]): string {
  return blocks.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');
}

const TYPES = new Set(['object', 'array', 'string', 'number', 'integer', 'boolean', 'null']);
const MAX_DEPTH = 40;

/**
 * What is wrong with a server's schema; undefined if models can use it. Because of one wrong schema, a provider would
 * refuse the whole request.
 */
function schemaProblem(schema: unknown): string | undefined {
  if (!isRecord(schema)) return 'its input schema is not an object';
  if (schema.type !== 'object') return 'its input schema is not one of an object';
  return inside(schema, 0);
}

function inside(schema: unknown, depth: number): string | undefined {
  if (typeof schema === 'boolean') return undefined;
  if (!isRecord(schema)) return 'its input schema holds something that is no schema';
  if (depth > MAX_DEPTH) return 'its input schema is too deep';
  return ownProblem(schema) ?? childProblem(schema, depth + 1);
}

function ownProblem({ type, required, pattern, enum: choices }: Readonly<Record<string, unknown>>): string | undefined {
  const types = type === undefined ? [] : Array.isArray(type) ? type : [type];
  if (!types.every((one) => TYPES.has(one as string))) return 'its input schema names a type that does not exist';
  if (required !== undefined && !isTexts(required)) return '"required" in its input schema is no list of names';
  if (choices !== undefined && !Array.isArray(choices)) return '"enum" in its input schema is no list';
  if (pattern !== undefined && !isPattern(pattern)) return '"pattern" in its input schema is no regular expression';
  return undefined;
}

function childProblem(schema: Readonly<Record<string, unknown>>, depth: number): string | undefined {
  const children: unknown[] = [];
  for (const key of ['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas']) {
    const value = schema[key];
    if (value === undefined) continue;
    if (!isRecord(value)) return `"${key}" in its input schema has no names`;
    children.push(...Object.values(value));
  }
  for (const key of ['anyOf', 'oneOf', 'allOf', 'prefixItems']) {
    const value = schema[key];
    if (value === undefined) continue;
    if (!Array.isArray(value)) return `"${key}" in its input schema is no list`;
    children.push(...value);
  }
  for (const key of ['items', 'additionalProperties', 'not', 'contains', 'if', 'then', 'else', 'propertyNames'])
    if (schema[key] !== undefined) children.push(...(Array.isArray(schema[key]) ? schema[key] : [schema[key]]));
  for (const child of children) {
    const problem = inside(child, depth);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((one) => typeof one === 'string');
}

function isPattern(value: unknown): boolean {
  try {
    new RegExp(value as string, 'u');
    return typeof value === 'string';
  } catch {
    return false;
  }
}

const MAX_PAGES = 64;

/** Reads all pages of a list of the server. An endless list is cut. */
export async function listAll(
  link: Connection,
  method: string,
  member: string,
  signal: AbortSignal,
): Promise<readonly unknown[]> {
  const found: unknown[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES; page++) {
    const listed = await link.request(method, cursor === undefined ? {} : { cursor }, signal);
    const items = isRecord(listed) ? listed[member] : undefined;
    if (!isRecord(listed) || !Array.isArray(items)) throw new Error(`it gave no list of ${member}`);
    found.push(...items);
    if (typeof listed.nextCursor !== 'string' || listed.nextCursor === cursor) break;
    cursor = listed.nextCursor;
  }
  return found;
}
