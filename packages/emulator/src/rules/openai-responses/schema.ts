/** The closed schema of Responses requests. */
import { asText, type Json } from '../../json.ts';
import { byType, closed, list, type Shape, tagged } from '../openai/shape.ts';

const callable: Readonly<Record<string, Shape>> = {
  function: closed('type name! description parameters~ strict async defer_loading allowed_callers output_schema'),
  custom: closed('type name! description format async defer_loading allowed_callers', {
    format: byType({ text: closed('type'), grammar: closed('type definition! syntax!') }),
  }),
};

const location = { user_location: closed('type city country region timezone') };

// `external_web_access` and `search_content_types` are not in the SDK type, but Codex sends them.
const webSearch = closed('type search_context_size user_location filters external_web_access search_content_types', {
  ...location,
  filters: closed('allowed_domains'),
});

const webSearchPreview = closed('type search_context_size user_location search_content_types', location);

export const toolShapes: Readonly<Record<string, Shape>> = {
  ...callable,
  namespace: closed('type name! description! tools!', { tools: list(byType(callable)) }),
  file_search: closed('type vector_store_ids! filters max_num_results ranking_options', {
    ranking_options: closed('hybrid_search ranker score_threshold'),
  }),
  web_search: webSearch,
  web_search_2025_08_26: webSearch,
  web_search_preview: webSearchPreview,
  web_search_preview_2025_03_11: webSearchPreview,
  computer: closed('type'),
  computer_use_preview: closed('type display_height! display_width! environment!'),
  code_interpreter: closed('type container! allowed_callers', {
    container: closed('type! file_ids memory_limit network_policy'),
  }),
  image_generation: closed(
    `type action background complexity frame_count frame_duration_ms input_fidelity input_image_mask model moderation
     output_compression output_format partial_images quality size svg`,
    { input_image_mask: closed('file_id image_url') },
  ),
  mcp: closed(
    `type server_label! server_url connector_id tunnel_id server_description authorization headers require_approval
     allowed_tools allowed_callers defer_loading`,
  ),
  local_shell: closed('type'),
  shell: closed('type environment allowed_callers'),
  apply_patch: closed('type allowed_callers'),
  programmatic_tool_calling: closed('type'),
  tool_search: closed('type description execution parameters'),
};

const toolsShape: Shape = list(byType(toolShapes));

const textFormat = byType({
  text: closed('type'),
  json_object: closed('type'),
  json_schema: closed('type name! schema! description strict'),
});

/**
 * The closed top level, and the objects below it other than the input (SDK `ResponseCreateParams`). Codex sends
 * `client_metadata` and `stream_options.reasoning_summary_delivery`, which the SDK's types lack.
 */
export const requestShape: Shape = closed(
  `access_programs background client_metadata context_management conversation image include input instructions max_output_tokens max_tool_calls metadata model
   moderation parallel_tool_calls previous_response_id prompt prompt_cache_key prompt_cache_options prompt_cache_retention
   reasoning safety_identifier service_tier store stream stream_options temperature text tool_choice tools top_logprobs
   top_p truncation user`,
  {
    context_management: list(closed('type! compact_threshold')),
    conversation: closed('id!'),
    access_programs: closed('cyber'),
    image: closed('context_compression'),
    moderation: closed('model! policy'),
    prompt: closed('id! variables version'),
    prompt_cache_options: closed('comparison_response_id mode prewarm ttl'),
    reasoning: closed('context effort generate_summary mode summary'),
    stream_options: closed('include_obfuscation reasoning_summary_delivery'),
    text: closed('format verbosity', {
      format: textFormat,
    }),
    tool_choice: byType({
      function: closed('type name!'),
      custom: closed('type name!'),
      mcp: closed('type server_label name'),
      allowed_tools: closed('type mode! tools!'),
    }),
    tools: toolsShape,
  },
);

const breakpoint = { prompt_cache_breakpoint: closed('mode! ttl') };

/** Parts that clients write: message content, and the outputs of functions. */
export const inputParts: Readonly<Record<string, Shape>> = {
  input_text: closed('type text! prompt_cache_breakpoint', breakpoint),
  input_image: closed('type detail file_id image_url prompt_cache_breakpoint', breakpoint),
  input_file: closed('type detail file_data file_id file_url filename prompt_cache_breakpoint', breakpoint),
};

const annotation = byType({
  file_citation: closed('type file_id! filename index'),
  url_citation: closed('type url! title start_index end_index'),
  container_file_citation: closed('type container_id! file_id! filename start_index end_index'),
  file_path: closed('type file_id! index'),
});

/** Parts that the model writes. Requests without `annotations` are accepted. */
export const outputParts: Readonly<Record<string, Shape>> = {
  output_text: closed('type text! annotations logprobs', {
    annotations: list(annotation),
    logprobs: list(closed('token bytes logprob top_logprobs')),
  }),
  refusal: closed('type refusal!'),
};

const output = { output: list(byType(inputParts)) };
const caller = { caller: closed('type caller_id') };
const safety = list(closed('id code message'));

// Codex sends this member on its own items and on those that it sends back; the SDK's types lack it.
const item = (fields: string, inner?: Readonly<Record<string, Shape>>): Shape =>
  closed(`${fields} internal_chat_message_metadata_passthrough`, inner);

/** Every item of the `input` array; `~` and `^` as in shape.ts. */
export const itemShapes: Readonly<Record<string, Shape>> = {
  message: item('type role! content! id status phase', {
    content: list(byType({ ...inputParts, ...outputParts })),
  }),
  function_call: item('type id call_id! name! arguments! async namespace status caller', caller),
  function_call_output: item('type id call_id output! name namespace status caller', { ...output, ...caller }),
  custom_tool_call: item('type id call_id! name! input! async namespace caller status^', caller),
  custom_tool_call_output: item('type id call_id! output! caller status^', { ...output, ...caller }),
  // A `status` is refused here, even null: openai-python#3008 (`Unknown parameter: 'input[1].status'.`).
  reasoning: item('type id summary! content encrypted_content', {
    summary: list(closed('type! text!')),
    content: list(closed('type! text!')),
  }),
  compaction: item('type id encrypted_content!'),
  compaction_trigger: item('type id'),
  configuration_update: item('type id reasoning text', {
    reasoning: closed('effort'),
    text: closed('format!', { format: textFormat }),
  }),
  item_reference: item('type id!'),
  web_search_call: item('type id! status~ action~', {
    action: byType({
      search: closed('type query queries sources'),
      open_page: closed('type url'),
      find_in_page: closed('type url pattern'),
      find: closed('type url pattern'),
    }),
  }),
  file_search_call: item('type id! queries! status~ results', {
    results: list(closed('attributes file_id filename score text vector_store_id^')),
  }),
  code_interpreter_call: item('type id! container_id! code~ outputs~ status~', {
    outputs: list(byType({ logs: closed('type logs'), image: closed('type url') })),
  }),
  // `{id, type}` alone was accepted; the request type lacks the other fields of replies.
  image_generation_call: item(
    'type id! result status error svg_usage action^ background^ output_format^ quality^ revised_prompt^ size^',
  ),
  computer_call: item('type id~ call_id! action actions status~ pending_safety_checks~', {
    pending_safety_checks: safety,
  }),
  computer_call_output: item('type id call_id! output! status acknowledged_safety_checks', {
    output: closed('type! file_id image_url'),
    acknowledged_safety_checks: safety,
  }),
  local_shell_call: item('type id~ call_id! action! status~', {
    action: closed('type command env timeout_ms user working_directory'),
  }),
  local_shell_call_output: item('type id~ output! status call_id^'),
  shell_call: item('type id call_id! action! status environment caller created_by^', {
    action: closed('commands! max_output_length timeout_ms'),
    ...caller,
  }),
  shell_call_output: item('type id call_id! output! status max_output_length caller created_by^', {
    output: list(closed('outcome! stderr stdout created_by^')),
    ...caller,
  }),
  apply_patch_call: item('type id call_id! operation! status! caller created_by^', {
    operation: byType({
      create_file: closed('type path! diff!'),
      update_file: closed('type path! diff!'),
      delete_file: closed('type path!'),
    }),
    ...caller,
  }),
  apply_patch_call_output: item('type id call_id! status! output caller created_by^', caller),
  mcp_list_tools: item('type id! server_label! tools! error', {
    tools: list(closed('name! input_schema! annotations description')),
  }),
  mcp_call: item('type id! server_label! name! arguments! output error status approval_request_id'),
  mcp_approval_request: item('type id! server_label! name! arguments!'),
  mcp_approval_response: item('type id approval_request_id! approve! reason'),
  tool_search_call: item('type id call_id arguments! execution status'),
  tool_search_output: item('type id call_id tools! execution status', { tools: toolsShape }),
  additional_tools: item('type id role! tools!', { tools: toolsShape }),
  program: item('type id! call_id! code! fingerprint!'),
  program_output: item('type id! call_id! result! status!'),
};

/** `type` may be left out of messages and of item references. */
export function itemType(item: Json): string | undefined {
  if (item.type !== undefined && item.type !== null) return asText(item.type);
  if (item.role !== undefined || item.content !== undefined) return 'message';
  return item.id === undefined ? undefined : 'item_reference';
}

export const inputShape: Shape = list(tagged(itemType, itemShapes));
