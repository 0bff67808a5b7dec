/** The schema of Interactions requests (SDK `CreateModelInteraction`, `CreateAgentInteraction`). */
import { byType, closed, list, type Shape } from '../openai/shape.ts';

const annotation = byType({
  url_citation: closed('type url title start_index end_index'),
  file_citation: closed(
    'type document_uri file_name source custom_metadata media_id page_number start_index end_index',
  ),
  place_citation: closed('type name place_id url review_snippets start_index end_index'),
});

/** Content of inputs, outputs and results. */
export const contentShapes: Readonly<Record<string, Shape>> = {
  text: closed('type text! annotations', { annotations: list(annotation) }),
  image: closed('type data uri mime_type resolution'),
  audio: closed('type data uri mime_type channels sample_rate'),
  document: closed('type data uri mime_type'),
  video: closed('type data uri mime_type name processing resolution'),
};

const contents = list(byType(contentShapes));

const functionResult = closed('type call_id! name result! is_error', { result: contents });

const call = (more = ''): Shape => closed(`type id! arguments! signature ${more}`);
const result = (more = ''): Shape => closed(`type call_id! result! is_error signature ${more}`);

/** Every step of `input`. */
export const stepShapes: Readonly<Record<string, Shape>> = {
  // A result may stand among the contents of an input, too.
  user_input: closed('type content', { content: list(byType({ ...contentShapes, function_result: functionResult })) }),
  model_output: closed('type content error', { content: contents }),
  thought: closed('type signature summary', { summary: contents }),
  function_call: closed('type id! name! arguments!'),
  function_result: functionResult,
  code_execution_call: call(),
  code_execution_result: result(),
  google_search_call: call('search_type'),
  google_search_result: result(),
  google_maps_call: closed('type id! arguments signature'),
  google_maps_result: result(),
  url_context_call: call(),
  url_context_result: result(),
  file_search_call: closed('type id! signature'),
  file_search_result: closed('type call_id! result is_error signature'),
  retrieval_call: call('retrieval_type'),
  retrieval_result: closed('type call_id! result is_error signature'),
  processing_call: closed('type id! signature'),
  processing_result: closed('type call_id! signature'),
  mcp_server_tool_call: closed('type id! name! server_name! arguments!'),
  mcp_server_tool_result: closed('type call_id! name server_name result! is_error'),
};

export const toolShapes: Readonly<Record<string, Shape>> = {
  function: closed('type name description parameters'),
  code_execution: closed('type'),
  google_search: closed('type search_types'),
  google_maps: closed('type enable_widget latitude longitude'),
  url_context: closed('type'),
  file_search: closed('type file_search_store_names metadata_filter top_k'),
  computer_use: closed(
    'type environment excluded_predefined_functions disabled_safety_policies enable_prompt_injection_detection',
  ),
  mcp_server: closed('type name url headers allowed_tools'),
  retrieval: closed(
    'type retrieval_types exa_ai_search_config parallel_ai_search_config rag_store_config vertex_ai_search_config',
  ),
};

export const requestShape: Shape = closed(
  `model agent agent_config input system_instruction tools generation_config response_format response_mime_type
   response_modalities previous_interaction_id continuation_token store stream background cached_content environment
   labels safety_settings service_tier webhook_config`,
  {
    generation_config: closed(
      `max_output_tokens temperature top_p seed stop_sequences thinking_level thinking_summaries tool_choice image_config
       speech_config transcription_config video_config`,
      { tool_choice: closed('allowed_tools', { allowed_tools: closed('mode tools') }) },
    ),
    tools: list(byType(toolShapes)),
  },
);

export const inputShape: Shape = list(byType(stepShapes));
