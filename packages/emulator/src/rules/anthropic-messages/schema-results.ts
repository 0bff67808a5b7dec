/** Results of tools that run on Anthropic's side, as they are echoed inside an assistant message. */
import { cacheControl, caller, document } from './schema-media.ts';
import { boolean, type Fields, list, number, optional, type Shape, string, tagged } from './shape.ts';

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

export const schemaServerResults: Readonly<Record<string, Fields>> = {
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
