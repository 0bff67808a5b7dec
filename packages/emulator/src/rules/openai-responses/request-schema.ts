import { byType, closed, list, type Shape } from '../openai/shape.ts';
import { toolsShape } from './tool-schema.ts';

/**
 * The closed top level, and the objects below it other than the input (SDK `ResponseCreateParams`).
 * `max_tool_calls` stands in `ResponsesClientEvent` only, but replies carry it too.
 */
export const requestShape: Shape = closed(
  `background context_management conversation include input instructions max_output_tokens max_tool_calls metadata model
   moderation parallel_tool_calls previous_response_id prompt prompt_cache_key prompt_cache_options prompt_cache_retention
   reasoning safety_identifier service_tier store stream stream_options temperature text tool_choice tools top_logprobs
   top_p truncation user`,
  {
    context_management: list(closed('type! compact_threshold')),
    conversation: closed('id!'),
    moderation: closed('model!'),
    prompt: closed('id! variables version'),
    prompt_cache_options: closed('mode ttl'),
    reasoning: closed('context effort generate_summary mode summary'),
    stream_options: closed('include_obfuscation'),
    text: closed('format verbosity', {
      format: byType({
        text: closed('type'),
        json_object: closed('type'),
        json_schema: closed('type name! schema! description strict'),
      }),
    }),
    tool_choice: byType({
      function: closed('type name!'),
      custom: closed('type name!'),
      mcp: closed('type server_label! name'),
      allowed_tools: closed('type mode! tools!'),
    }),
    tools: toolsShape,
  },
);
