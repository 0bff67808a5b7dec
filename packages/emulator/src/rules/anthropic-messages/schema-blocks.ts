/** The closed schema of tools and content blocks (@anthropic-ai/sdk 1.8, beta types). Response-only fields are not in it. */
import {
  cacheControl,
  caller,
  citations,
  citationsConfig,
  document,
  image,
  searchResult,
  text,
} from './schema-media.ts';
import {
  anything,
  boolean,
  choice,
  dictionary,
  type Fields,
  list,
  map,
  number,
  optional,
  record,
  type Shape,
  string,
  stringOr,
  tagged,
} from './shape.ts';

const common: Fields = {
  allowed_callers: optional(list(string)),
  cache_control: optional(cacheControl),
  defer_loading: optional(boolean),
  strict: optional(boolean),
};
const server: Fields = { name: string, ...common };
const client: Fields = { ...server, input_examples: optional(list(dictionary)) };

const userLocation = tagged({
  approximate: {
    city: optional(string),
    country: optional(string),
    region: optional(string),
    timezone: optional(string),
  },
});
const search: Fields = {
  ...server,
  allowed_domains: optional(list(string)),
  blocked_domains: optional(list(string)),
  max_uses: optional(number),
};
const webSearch: Fields = { ...search, user_location: optional(userLocation) };

const chosenTools = { tools: list(tagged({ tool_reference: { name: string } })) };
const urlSource = tagged({ all: {}, none: {}, only: chosenTools, except: chosenTools });
const webFetch: Fields = {
  ...search,
  citations: optional(citationsConfig),
  max_content_tokens: optional(number),
  url_sources: optional(
    record({
      client_tool_results: optional(urlSource),
      server_tool_results: optional(urlSource),
      user_input: optional(urlSource),
    }),
  ),
};
const cachedFetch: Fields = { ...webFetch, use_cache: optional(boolean) };
const inclusion: Fields = { response_inclusion: optional(string) };

const computer: Fields = {
  ...client,
  display_height_px: number,
  display_width_px: number,
  display_number: optional(number),
};

const memberConfig = record({ defer_loading: optional(boolean), enabled: optional(boolean) });
const toolset: Fields = { configs: optional(map(memberConfig)), cache_control: optional(cacheControl) };

export const tool = tagged(
  {
    custom: {
      ...client,
      description: optional(string),
      eager_input_streaming: optional(boolean),
      input_schema: anything,
    },
    bash_20241022: client,
    bash_20250124: client,
    text_editor_20241022: client,
    text_editor_20250124: client,
    text_editor_20250429: client,
    text_editor_20250728: { ...client, max_characters: optional(number) },
    memory_20250818: client,
    computer_20241022: computer,
    computer_20250124: computer,
    computer_20251124: { ...computer, enable_zoom: optional(boolean) },
    browser_toolset_20260801: toolset,
    computer_toolset_20260801: toolset,
    code_execution_20250522: server,
    code_execution_20250825: server,
    code_execution_20260120: server,
    code_execution_20260521: server,
    tool_search_tool_bm25: server,
    tool_search_tool_bm25_20251119: server,
    tool_search_tool_regex: server,
    tool_search_tool_regex_20251119: server,
    web_search_20250305: webSearch,
    web_search_20260209: webSearch,
    web_search_20260318: { ...webSearch, ...inclusion },
    web_fetch_20250910: webFetch,
    web_fetch_20260209: webFetch,
    web_fetch_20260309: cachedFetch,
    web_fetch_20260318: { ...cachedFetch, ...inclusion },
    advisor_20260301: {
      ...server,
      model: string,
      caching: optional(cacheControl),
      max_tokens: optional(number),
      max_uses: optional(number),
    },
    mcp_toolset: {
      mcp_server_name: string,
      configs: optional(map(memberConfig)),
      default_config: optional(memberConfig),
      tools: optional(list(record({ name: string, description: optional(string), input_schema: anything }))),
      cache_control: optional(cacheControl),
    },
  },
  'custom',
);

/** Results of tools that run on Anthropic's side, as they are sent back in an assistant message. */

const result = (content: Shape): Fields => ({ tool_use_id: string, content, cache_control: optional(cacheControl) });
const called = (content: Shape): Fields => ({ ...result(content), caller: optional(caller) });

const execution = (output: string): Fields => ({
  content: list(tagged({ [output]: { file_id: string } })),
  return_code: number,
  stderr: string,
  stdout: string,
});
const { stdout: _, ...encryptedExecution } = execution('code_execution_output');

const webSearchError = tagged({ web_search_tool_result_error: { error_code: string } });
const webSearchHits = list(
  tagged({
    web_search_result: { encrypted_content: string, title: string, url: string, page_age: optional(string) },
  }),
);

const schemaServerResults: Readonly<Record<string, Fields>> = {
  web_search_tool_result: called((value, path) => (Array.isArray(value) ? webSearchHits : webSearchError)(value, path)),
  web_fetch_tool_result: called(
    tagged({
      web_fetch_result: { content: tagged({ document }), url: string, retrieved_at: optional(string) },
      web_fetch_tool_result_error: { error_code: string },
    }),
  ),
  advisor_tool_result: result(
    tagged({
      advisor_result: { text: string, stop_reason: optional(string) },
      advisor_redacted_result: { encrypted_content: string, stop_reason: optional(string) },
      advisor_tool_result_error: { error_code: string },
    }),
  ),
  code_execution_tool_result: result(
    tagged({
      code_execution_result: execution('code_execution_output'),
      encrypted_code_execution_result: { ...encryptedExecution, encrypted_stdout: string },
      code_execution_tool_result_error: { error_code: string },
    }),
  ),
  bash_code_execution_tool_result: result(
    tagged({
      bash_code_execution_result: execution('bash_code_execution_output'),
      bash_code_execution_tool_result_error: { error_code: string },
    }),
  ),
  text_editor_code_execution_tool_result: result(
    tagged({
      text_editor_code_execution_create_result: { is_file_update: boolean },
      text_editor_code_execution_str_replace_result: {
        lines: optional(list(string)),
        new_lines: optional(number),
        new_start: optional(number),
        old_lines: optional(number),
        old_start: optional(number),
      },
      text_editor_code_execution_view_result: {
        content: string,
        file_type: string,
        num_lines: optional(number),
        start_line: optional(number),
        total_lines: optional(number),
      },
      text_editor_code_execution_tool_result_error: { error_code: string, error_message: optional(string) },
    }),
  ),
  tool_search_tool_result: result(
    tagged({
      tool_search_tool_search_result: {
        tool_references: list(tagged({ tool_reference: { tool_name: string, cache_control: optional(cacheControl) } })),
      },
      tool_search_tool_result_error: { error_code: string, error_message: optional(string) },
    }),
  ),
};

const browserState: Fields = {
  tabs: list(record({ tab_id: string, title: string, url: string, active: optional(boolean) })),
  state_changes: optional(
    list(
      tagged({
        tab_opened: { tab_id: string },
        download_started: { download_id: string, url: string },
        download_completed: { download_id: string, url: string, path: optional(string), size_bytes: optional(number) },
        download_failed: { download_id: string, url: string, error: optional(string) },
      }),
    ),
  ),
  cache_control: optional(cacheControl),
};

const toolResultContent = tagged({
  text,
  image,
  document,
  search_result: searchResult,
  tool_reference: { tool_name: string, cache_control: optional(cacheControl) },
  browser_state: browserState,
});

const toolReferences: Readonly<Record<string, Fields>> = {
  tool_reference: { name: string },
  mcp_tool_reference: { name: string, server_name: string },
  mcp_toolset_reference: { server_name: string },
};
const toolAddition: Fields = {
  tool: tagged({ ...toolReferences, tool_definition: { definition: tool } }),
  cache_control: optional(cacheControl),
};
const toolRemoval: Fields = { tool: tagged(toolReferences), cache_control: optional(cacheControl) };

const serverTool = choice(
  'advisor',
  'web_search',
  'web_fetch',
  'code_execution',
  'bash_code_execution',
  'text_editor_code_execution',
  'tool_search_tool_regex',
  'tool_search_tool_bm25',
);

// `input`, `signature` and ids are checked by rules with their own wording.
export const block: Shape = tagged({
  text,
  image,
  document,
  search_result: searchResult,
  thinking: { thinking: string, signature: optional(string) },
  redacted_thinking: { data: string },
  tool_use: {
    id: string,
    name: string,
    input: anything,
    caller: optional(caller),
    toolset_name: optional(string),
    cache_control: optional(cacheControl),
  },
  tool_result: {
    tool_use_id: string,
    content: optional(stringOr(list(toolResultContent))),
    is_error: optional(boolean),
    toolset_name: optional(string),
    cache_control: optional(cacheControl),
  },
  server_tool_use: {
    id: string,
    name: serverTool,
    input: anything,
    caller: optional(caller),
    cache_control: optional(cacheControl),
  },
  ...schemaServerResults,
  mcp_tool_use: {
    id: string,
    name: string,
    server_name: string,
    input: anything,
    cache_control: optional(cacheControl),
  },
  mcp_tool_result: {
    tool_use_id: string,
    content: optional(stringOr(list(tagged({ text })))),
    is_error: optional(boolean),
    cache_control: optional(cacheControl),
  },
  mcp_tool_listing: {
    mcp_server_name: string,
    tools: list(record({ name: string, description: optional(string), input_schema: anything })),
  },
  container_upload: { file_id: string, cache_control: optional(cacheControl) },
  compaction: {
    content: optional(string),
    encrypted_content: optional(string),
    signature: optional(string),
    tool_changes: optional(list(tagged({ tool_addition: toolAddition, tool_removal: toolRemoval }))),
    cache_control: optional(cacheControl),
  },
  fallback: { from: record({ model: string }), to: record({ model: string }), trigger: optional(anything) },
  tool_addition: toolAddition,
  tool_removal: toolRemoval,
});

/** Blocks of a `role: "system"` message. */
export const systemBlock: Shape = tagged({ text, tool_addition: toolAddition, tool_removal: toolRemoval });

/** Blocks of the top-level `system`. */
export const textBlock: Shape = tagged({ text: { ...text, citations: optional(citations) } });
