/** What the rules look at, read once from the body. Values of the wrong type are left out: the schema rules report them. */
import { asText, isObject, type Json, objects } from '../../json.ts';
import type { JudgedRequest, Rule } from '../verdict.ts';
import { type Model, parseModel } from './models.ts';
import { contentBlocks, type Prefix, prefixes } from './prefix.ts';
import { block, systemBlock, textBlock, tool } from './schema-blocks.ts';
import { cacheControl } from './schema-media.ts';
import {
  anything,
  boolean,
  choice,
  dictionary,
  type Fields,
  type Issue,
  list,
  number,
  optional,
  record,
  type Shape,
  string,
  stringOr,
  tagged,
} from './shape.ts';

// The closed schema of the request body (`MessageCreateParams` of @anthropic-ai/sdk 1.8, and older models' sampling fields).

const blockBinding = optional(record({ prefix_mismatch_behavior: optional(choice('error', 'drop_block')) }));
const display = choice('summarized', 'omitted', 'updates');
const thinking = tagged({
  enabled: { budget_tokens: number, display: optional(display), block_binding: blockBinding },
  adaptive: { display: optional(display), block_binding: blockBinding },
  disabled: {},
  between_tools: {},
});

const format = tagged({ json_schema: { schema: dictionary } });
const outputConfig = record({
  effort: optional(string),
  format: optional(format),
  task_budget: optional(tagged({ tokens: { total: number, remaining: optional(number) } })),
});

const tokens = tagged({ input_tokens: { value: number } });
const contextManagement = record({
  edits: optional(
    list(
      tagged({
        clear_thinking_20251015: { keep: optional(stringOr(tagged({ all: {}, thinking_turns: { value: number } }))) },
        clear_tool_uses_20250919: {
          clear_at_least: optional(tokens),
          clear_tool_inputs: optional(anything),
          exclude_tools: optional(list(string)),
          keep: optional(tagged({ tool_uses: { value: number } })),
          trigger: optional(tagged({ input_tokens: { value: number }, tool_uses: { value: number } })),
        },
        compact_20260112: {
          instructions: optional(string),
          pause_after_compaction: optional(boolean),
          trigger: optional(tokens),
        },
      }),
    ),
  ),
});

const parallel: Fields = { disable_parallel_tool_use: optional(boolean) };
const toolChoice = tagged({ auto: parallel, any: parallel, tool: { name: string, ...parallel }, none: {} });

const skill = record({ type: string, skill_id: string, version: optional(string) });
const mcpServer = tagged({
  url: {
    name: string,
    url: string,
    authorization_token: optional(string),
    tool_configuration: optional(record({ allowed_tools: optional(list(string)), enabled: optional(boolean) })),
  },
});
const speed = optional(choice('standard', 'fast'));
const fallback = record({
  model: string,
  max_tokens: optional(number),
  output_config: optional(outputConfig),
  speed,
  thinking: optional(thinking),
});

const plainMessage = record({ role: string, content: stringOr(list(block)) });
const systemMessage = record({
  role: string,
  content: optional(stringOr(list(systemBlock))),
  clear_at: optional(choice('next_user_message', 'never')),
  output_config: optional(record({ effort: optional(string) })),
});
const message: Shape = (value, path) =>
  (isObject(value) && value.role === 'system' ? systemMessage : plainMessage)(value, path);

// The rule `required` checks for `model`, `max_tokens` and `messages`.
const fields: Fields = {
  model: optional(string),
  max_tokens: optional(number),
  messages: optional(list(message)),
  system: optional(stringOr(list(textBlock))),
  tools: optional(list(tool)),
  tool_choice: optional(toolChoice),
  thinking: optional(thinking),
  output_config: optional(outputConfig),
  output_format: optional(format),
  cache_control: optional(cacheControl),
  context_management: optional(contextManagement),
  compaction: optional(tagged({ summarize: { instructions: optional(string) } })),
  container: optional(stringOr(record({ id: optional(string), skills: optional(list(skill)) }))),
  diagnostics: optional(record({ previous_message_id: optional(string) })),
  fallback_credit_token: optional(stringOr(record({ token: string, mode: optional(string) }))),
  fallbacks: optional(stringOr(list(fallback))),
  inference_geo: optional(string),
  mcp_servers: optional(list(mcpServer)),
  metadata: optional(record({ user_id: optional(string) })),
  service_tier: optional(choice('auto', 'standard_only')),
  speed,
  stop_sequences: optional(list(string)),
  stream: optional(boolean),
  temperature: optional(number),
  thread: optional(tagged({ create: {}, continue: { previous_message_id: string } })),
  top_k: optional(number),
  top_p: optional(number),
};

const requestBody = record(fields);

/** Bedrock and Vertex have the model in the path, and version and betas in the body. */
const hostedRequestBody = record({
  ...fields,
  anthropic_version: optional(string),
  anthropic_beta: optional(list(string)),
});

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
