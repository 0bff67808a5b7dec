/** Tool definitions, by their dated `type` (`BetaToolUnion` of @anthropic-ai/sdk 1.8). */
import { cacheControl, citationsConfig } from './schema-media.ts';
import {
  anything,
  boolean,
  dictionary,
  type Fields,
  list,
  map,
  number,
  optional,
  record,
  string,
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
