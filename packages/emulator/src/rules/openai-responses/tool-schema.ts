import { byType, closed, list, type Shape } from '../openai/shape.ts';

const callable: Readonly<Record<string, Shape>> = {
  function: closed('type name! description parameters~ strict defer_loading allowed_callers output_schema'),
  custom: closed('type name! description format defer_loading allowed_callers', {
    format: byType({ text: closed('type'), grammar: closed('type definition! syntax!') }),
  }),
};

const location = { user_location: closed('type city country region timezone') };

// `external_web_access` is not in the SDK type, but was accepted (recorded).
const webSearch = closed('type search_context_size user_location filters external_web_access', {
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
    `type action background input_fidelity input_image_mask model moderation output_compression output_format
     partial_images quality size`,
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

export const toolsShape: Shape = list(byType(toolShapes));
