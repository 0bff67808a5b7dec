import { emptyArray, finding } from '../openai/finding.ts';
import { eachFields, isFields, isSet } from '../openai/values.ts';
import type { ChatRule } from './context.ts';

export const toolsEmpty: ChatRule = {
  id: 'tools-empty',
  *check({ body }) {
    if (Array.isArray(body.tools) && body.tools.length === 0) yield emptyArray('tools');
  },
};

const needsTools = (id: string, param: string): ChatRule => ({
  id,
  *check({ body }) {
    if (!isSet(body[param]) || isSet(body.tools)) return;
    yield finding(`Invalid value for '${param}': '${param}' is only allowed when 'tools' are specified.`, param);
  },
});

export const toolChoiceNoTools = needsTools('tool-choice-no-tools', 'tool_choice');
export const parallelNoTools = needsTools('parallel-no-tools', 'parallel_tool_calls');

export const streamOptions: ChatRule = {
  id: 'stream-options',
  *check({ body }) {
    if (!isSet(body.stream_options) || body.stream === true) return;
    yield finding("The 'stream_options' parameter is only allowed when 'stream' is enabled.", 'stream_options');
  },
};

export const maxTokens: ChatRule = {
  id: 'max-tokens',
  *check({ body, model }) {
    if (!isSet(body.max_tokens) || !/^(o\d|gpt-5(?!.*chat))/.test(model)) return;
    const words =
      "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.";
    yield finding(words, 'max_tokens', 'unsupported_parameter');
  },
};

export const webSearch: ChatRule = {
  id: 'web-search',
  *check({ body, model }) {
    if (!isFields(body.web_search_options) || /search/.test(model)) return;
    yield finding('Web search options not supported with this model.', 'web_search_options');
  },
};

/** DeepSeek thinks unless told not to, and then wants the thinking of every message with calls back. */
export const deepSeekReasoning: ChatRule = {
  id: 'deepseek-reasoning',
  *check({ body, model, messages }) {
    if (!model.startsWith('deepseek-')) return;
    if (isFields(body.thinking) && body.thinking.type === 'disabled') return;
    for (const [, { role, tool_calls, reasoning_content }] of messages) {
      const calls = [...eachFields(tool_calls)].length > 0;
      if (role !== 'assistant' || !calls || typeof reasoning_content === 'string') continue;
      const words = 'The `reasoning_content` in the thinking mode must be passed back to the API.';
      yield finding(words, null, 'invalid_request_error');
    }
  },
};
