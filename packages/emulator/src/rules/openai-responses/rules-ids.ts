import { finding, tooLong, unsure } from '../openai/finding.ts';
import type { ResponsesRule } from './context.ts';

/** Refusals of other beginnings are known for these. */
const prefixes: Readonly<Record<string, string>> = {
  message: 'msg',
  function_call: 'fc',
  reasoning: 'rs',
  custom_tool_call: 'ctc',
};

/** What the API itself issues for the rest (recorded); whether it insists is not known. */
const issuedPrefixes: Readonly<Record<string, string>> = {
  web_search_call: 'ws',
  file_search_call: 'fs',
  code_interpreter_call: 'ci',
  image_generation_call: 'ig',
  mcp_call: 'mcp',
  mcp_list_tools: 'mcpl',
  mcp_approval_request: 'mcpr',
  tool_search_call: 'tsc',
  tool_search_output: 'tso',
  compaction: 'cmp',
};

export const idPrefix: ResponsesRule = {
  id: 'id-prefix',
  *check({ items }) {
    for (const { at, type = '', id } of items) {
      const prefix = prefixes[type] ?? issuedPrefixes[type];
      if (id === undefined || prefix === undefined || id.startsWith(prefix)) continue;
      const words = `Invalid '${at}.id': '${id}'. Expected an ID that begins with '${prefix}'.`;
      const found = finding(words, `${at}.id`, 'invalid_value');
      yield type in prefixes ? found : unsure(found);
    }
  },
};

/** The message allows dashes, the API does not (CopilotKit#6117). */
export const idChars: ResponsesRule = {
  id: 'id-chars',
  *check({ items }) {
    for (const { at, id } of items) {
      if (id === undefined || /^\w*$/.test(id)) continue;
      const words = `Invalid '${at}.id': '${id}'. Expected an ID that contains letters, numbers, underscores, or dashes, but this value contained additional characters.`;
      yield finding(words, `${at}.id`, 'invalid_value');
    }
  },
};

export const idLong: ResponsesRule = {
  id: 'id-long',
  *check({ items }) {
    for (const { at, id } of items) yield* tooLong(`${at}.id`, id, 64);
  },
};

export const idDup: ResponsesRule = {
  id: 'id-dup',
  *check({ items }) {
    const seen = new Set<string>();
    for (const { id } of items) {
      if (id === undefined) continue;
      const words = `Duplicate item found with id ${id}. Remove duplicate items from your input and try again.`;
      if (seen.has(id)) yield finding(words, 'input');
      seen.add(id);
    }
  },
};
