import { byType, closed, list, type Shape, tagged } from '../openai/shape.ts';
import { type Fields, text } from '../openai/values.ts';
import { toolsShape } from './tool-schema.ts';

const breakpoint = { prompt_cache_breakpoint: closed('mode!') };

/** What clients write: message content, and the outputs of functions. */
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

/** What the model writes. Clients that leave out `annotations` are served. */
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

/** Every item of the `input` array; `~` and `^` as in shape.ts. */
export const itemShapes: Readonly<Record<string, Shape>> = {
  message: closed('type role! content! id status phase', {
    content: list(byType({ ...inputParts, ...outputParts })),
  }),
  function_call: closed('type id call_id! name! arguments! namespace status caller', caller),
  function_call_output: closed('type id call_id! output! status caller', { ...output, ...caller }),
  custom_tool_call: closed('type id call_id! name! input! namespace caller status^', caller),
  custom_tool_call_output: closed('type id call_id! output! caller status^', { ...output, ...caller }),
  // A `status` is refused here, even null: openai-python#3008 (`Unknown parameter: 'input[1].status'.`).
  reasoning: closed('type id summary! content encrypted_content', {
    summary: list(closed('type! text!')),
    content: list(closed('type! text!')),
  }),
  compaction: closed('type id encrypted_content!'),
  compaction_trigger: closed('type'),
  item_reference: closed('type id!'),
  web_search_call: closed('type id! status~ action~', {
    action: byType({
      search: closed('type query queries sources'),
      open_page: closed('type url'),
      find_in_page: closed('type url pattern'),
      find: closed('type url pattern'),
    }),
  }),
  file_search_call: closed('type id! queries! status~ results', {
    results: list(closed('attributes file_id filename score text vector_store_id^')),
  }),
  code_interpreter_call: closed('type id! container_id! code~ outputs~ status~', {
    outputs: list(byType({ logs: closed('type logs'), image: closed('type url') })),
  }),
  // `{id, type}` alone was accepted; the rest of a reply's fields is not in the request type.
  image_generation_call: closed(
    'type id! result status action^ background^ output_format^ quality^ revised_prompt^ size^',
  ),
  computer_call: closed('type id~ call_id! action actions status~ pending_safety_checks~', {
    pending_safety_checks: safety,
  }),
  computer_call_output: closed('type id call_id! output! status acknowledged_safety_checks', {
    output: closed('type! file_id image_url'),
    acknowledged_safety_checks: safety,
  }),
  local_shell_call: closed('type id~ call_id! action! status~', {
    action: closed('type command env timeout_ms user working_directory'),
  }),
  local_shell_call_output: closed('type id~ output! status call_id^'),
  shell_call: closed('type id call_id! action! status environment caller created_by^', {
    action: closed('commands! max_output_length timeout_ms'),
    ...caller,
  }),
  shell_call_output: closed('type id call_id! output! status max_output_length caller created_by^', {
    output: list(closed('outcome! stderr stdout created_by^')),
    ...caller,
  }),
  apply_patch_call: closed('type id call_id! operation! status! caller created_by^', {
    operation: byType({
      create_file: closed('type path! diff!'),
      update_file: closed('type path! diff!'),
      delete_file: closed('type path!'),
    }),
    ...caller,
  }),
  apply_patch_call_output: closed('type id call_id! status! output caller created_by^', caller),
  mcp_list_tools: closed('type id! server_label! tools! error', {
    tools: list(closed('name! input_schema! annotations description')),
  }),
  mcp_call: closed('type id! server_label! name! arguments! output error status approval_request_id'),
  mcp_approval_request: closed('type id! server_label! name! arguments!'),
  mcp_approval_response: closed('type id approval_request_id! approve! reason'),
  tool_search_call: closed('type id call_id arguments! execution status'),
  tool_search_output: closed('type id call_id tools! execution status', { tools: toolsShape }),
  additional_tools: closed('type id role! tools!', { tools: toolsShape }),
  program: closed('type id! call_id! code! fingerprint!'),
  program_output: closed('type id! call_id! result! status!'),
};

/** `type` may be left out of messages and of item references. */
export function itemType(item: Fields): string | undefined {
  if (item.type !== undefined && item.type !== null) return text(item.type);
  if (item.role !== undefined || item.content !== undefined) return 'message';
  return item.id === undefined ? undefined : 'item_reference';
}

export const inputShape: Shape = list(tagged(itemType, itemShapes));
