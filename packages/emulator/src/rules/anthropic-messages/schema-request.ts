/** The closed schema of the request body (`MessageCreateParams` of @anthropic-ai/sdk 1.8, and older models' sampling fields). */
import { isObject } from '../../json.ts';
import { block, systemBlock, textBlock, tool } from './schema-blocks.ts';
import { cacheControl } from './schema-media.ts';
import {
  anything,
  boolean,
  choice,
  dictionary,
  type Fields,
  list,
  number,
  optional,
  record,
  type Shape,
  string,
  stringOr,
  tagged,
} from './shape.ts';

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

export const requestBody = record(fields);

/** Bedrock and Vertex have the model in the path, and version and betas in the body. */
export const hostedRequestBody = record({
  ...fields,
  anthropic_version: optional(string),
  anthropic_beta: optional(list(string)),
});
