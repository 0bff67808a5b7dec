/** Content blocks a request may carry (`*BlockParam` of @anthropic-ai/sdk 1.8, beta types). Response-only fields are not in it. */

import { cacheControl, caller, citations, document, image, searchResult, text } from './schema-media.ts';
import { schemaServerResults } from './schema-results.ts';
import { tool } from './schema-tools.ts';
import {
  anything,
  boolean,
  choice,
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

// `input`, `signature` and ids are left open here: rules with their own wording look at them.
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
