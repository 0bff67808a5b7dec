/** What the rules look at, read once from the body. Values of the wrong type are left out: the schema rules report them. */
import { asText, isObject, type Json, objects } from '../../json.ts';
import type { JudgedRequest, Rule } from '../verdict.ts';
import { type Model, parseModel } from './models.ts';
import { contentBlocks, type Prefix, prefixes } from './prefix.ts';
import { hostedRequestBody, requestBody } from './schema-request.ts';
import type { Issue } from './shape.ts';

export interface Context {
  readonly request: JudgedRequest;
  readonly body: Json;
  readonly issues: readonly Issue[];
  readonly model: Model;
  readonly messages: readonly Json[];
  /** Merged turns, with and without `role: "system"` messages, which tool pairing ignores. */
  readonly turns: readonly Turn[];
  readonly dialogue: readonly Turn[];
  readonly blocks: readonly PlacedBlock[];
  readonly system: readonly Json[];
  readonly tools: readonly Json[];
  readonly thinking: Json;
  readonly betas: readonly string[];
  /** Whether the request names an API version of 2026-10-21 or later, in its header or in its body. */
  readonly isNewVersion: boolean;
  /** Hashes the conversation on first use. */
  readonly prefix: (message: number, block: number) => Prefix;
}

export type AnthropicRule = Rule<Context>;

/** From the header, and from the body, where Bedrock has them. */
function readBetas({ headers }: JudgedRequest, { anthropic_beta: inBody }: Json): readonly string[] {
  const inHeader = (headers?.['anthropic-beta'] ?? '').split(',').map((beta) => beta.trim());
  return [...inHeader, ...(Array.isArray(inBody) ? inBody.map(String) : [])];
}

const NEW_VERSION = '2026-10-21';

/** Hosts other than Anthropic have the version in the body, some behind their name (`bedrock-2023-05-31`). */
function readVersion({ headers }: JudgedRequest, { anthropic_version: inBody }: Json): string {
  return /\d{4}-\d{2}-\d{2}$/.exec(asText(inBody) ?? headers?.['anthropic-version'] ?? '')?.[0] ?? '';
}

export function readContext(request: JudgedRequest, body: Json): Context {
  const messages = objects(body.messages);
  const turns = mergeTurns(messages);
  let lookUp: Context['prefix'] | undefined;
  const schema = request.model === undefined ? requestBody : hostedRequestBody;
  return {
    request,
    body,
    issues: schema(body, ''),
    model: parseModel(typeof body.model === 'string' ? body.model : (request.model ?? '')),
    messages,
    turns,
    dialogue: turns.filter((turn) => turn.role !== 'system'),
    blocks: turns.flatMap((turn) => turn.blocks),
    system: objects(body.system),
    tools: objects(body.tools),
    thinking: isObject(body.thinking) ? body.thinking : {},
    betas: readBetas(request, body),
    isNewVersion: readVersion(request, body) >= NEW_VERSION,
    prefix: (message, block) => {
      lookUp ??= prefixes(body);
      return lookUp(message, block);
    },
  };
}

export interface PlacedBlock {
  readonly block: Json;
  readonly type: string;
  /** Index in `messages` and in that message's `content`. */
  readonly message: number;
  readonly index: number;
  /** `messages.1.content.0` */
  readonly path: string;
}

export interface Turn {
  readonly role: string;
  /** Index of its first message. */
  readonly first: number;
  readonly blocks: readonly PlacedBlock[];
}

export const placeBlocks = (message: Json, at: number): readonly PlacedBlock[] =>
  contentBlocks(message.content).map((block, index) => ({
    block,
    type: `${block.type}`,
    message: at,
    index,
    path: `messages.${at}.content.${index}`,
  }));

/** The API takes consecutive messages of one role for one turn (wire-rules, "surprises"). */
function mergeTurns(messages: readonly Json[]): readonly Turn[] {
  const turns: { role: string; first: number; blocks: PlacedBlock[] }[] = [];
  messages.forEach((message, index) => {
    const last = turns.at(-1);
    const blocks = placeBlocks(message, index);
    if (last && last.role === message.role) last.blocks.push(...blocks);
    else turns.push({ role: `${message.role}`, first: index, blocks: [...blocks] });
  });
  return turns;
}

export const isThinking = (placed: PlacedBlock | undefined): boolean =>
  placed?.type === 'thinking' || placed?.type === 'redacted_thinking';

/** Blocks of tools that run on Anthropic's side, both the call and its result. */
export const isServerCall = (placed: PlacedBlock | undefined): boolean =>
  placed?.type === 'server_tool_use' || placed?.type === 'mcp_tool_use';
export const isServerResult = (placed: PlacedBlock | undefined): boolean =>
  placed !== undefined && placed.type !== 'tool_result' && placed.type.endsWith('_tool_result');
