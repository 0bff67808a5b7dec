/** Judges requests to OpenAI's Chat Completions: reads the body, checks schema and parameters, then applies the other rules. */
import { eachObject, isObject, isSet } from '../../json.ts';
import { emptyArray, finding, missingParameter, unsupportedValue, unsure, wrongType } from '../openai/finding.ts';
import { type ApiDifferences, applicableRules, parseBody, runRules } from '../openai/rule.ts';
import { findVariant, missingFields, unknownFields, wrongToolTypes } from '../openai/shape.ts';
import type { Judge } from '../verdict.ts';
import {
  argumentsType,
  audioModel,
  type ChatRule,
  callName,
  chatContext,
  contentEmpty,
  contentNull,
  name,
  partRole,
  toolCallsEmpty,
  toolIdLong,
  toolName,
  toolOrphan,
  toolUnanswered,
} from './rules.ts';
import { messageShapes, messagesShape, requestShape, toolShapes } from './schema.ts';

const required: ChatRule = {
  id: 'required',
  *check(context) {
    const { body, messages } = context;
    if (!isSet(body.model)) yield finding('you must provide a model parameter', null);
    yield* missingFields(context, requestShape);
    for (const [index, message] of messages) {
      if (!isSet(message.role)) yield missingParameter(`messages[${index}].role`);
      for (const [call, { type }] of eachObject(message.tool_calls)) {
        if (!isSet(type)) yield missingParameter(`messages[${index}].tool_calls[${call}].type`);
      }
    }
    yield* missingFields(context, messagesShape, 'messages');
  },
};

const contentKinds = 'one of a string or array of objects';

const invalidType: ChatRule = {
  id: 'invalid-type',
  *check({ body, messages }) {
    if (typeof body.model !== 'string') yield wrongType('model', 'a string', body.model);
    if (!Array.isArray(body.messages)) {
      yield wrongType('messages', 'an array of objects', body.messages);
      return;
    }
    for (const [index, message] of body.messages.entries()) {
      if (!isObject(message)) yield wrongType(`messages[${index}]`, 'an object', message);
    }
    for (const [index, { content, tool_calls, tool_call_id }] of messages) {
      const at = `messages[${index}]`;
      if (isSet(content) && typeof content !== 'string' && !Array.isArray(content)) {
        yield wrongType(`${at}.content`, contentKinds, content);
      }
      if (isSet(tool_calls) && !Array.isArray(tool_calls)) {
        yield wrongType(`${at}.tool_calls`, 'an array of objects', tool_calls);
      }
      if (isSet(tool_call_id) && typeof tool_call_id !== 'string') {
        yield wrongType(`${at}.tool_call_id`, 'a string', tool_call_id);
      }
      for (const [field, value] of Object.entries({ content, tool_calls })) {
        for (const [entry, inner] of Array.isArray(value) ? value.entries() : []) {
          if (!isObject(inner)) yield wrongType(`${at}.${field}[${entry}]`, 'an object', inner);
        }
      }
      for (const [part, { text }] of eachObject(content)) {
        if (isSet(text) && typeof text !== 'string') yield wrongType(`${at}.content[${part}].text`, 'a string', text);
      }
    }
  },
};

const unknownParam: ChatRule = {
  id: 'unknown-param',
  check: (context) => unknownFields(context, requestShape),
};

/** It is not known whether api.openai.com refuses or ignores these, so they are refused only on demand. */
const unknownMessageParam: ChatRule = {
  id: 'unknown-message-param',
  *check(context) {
    for (const found of unknownFields(context, messagesShape, 'messages')) {
      yield context.refuseUnknownMessageFields ? found : unsure(found);
    }
  },
};

const roles = ['system', 'assistant', 'user', 'function', 'tool', 'developer'];

const role: ChatRule = {
  id: 'role',
  *check({ messages, model }) {
    for (const [index, message] of messages) {
      const param = `messages[${index}].role`;
      if (findVariant(messageShapes, message.role) === undefined) {
        yield unsupportedValue(param, message.role, roles);
      }
      // The first reasoning models had neither of these roles.
      if (/^o1-(mini|preview)/.test(model) && (message.role === 'system' || message.role === 'developer')) {
        const words = `Unsupported value: '${param}' does not support '${message.role}' with this model.`;
        yield finding(words, param, 'unsupported_value');
      }
    }
  },
};

const toolType: ChatRule = {
  id: 'tool-type',
  check: (context) => wrongToolTypes(context, toolShapes),
};

const toolsEmpty: ChatRule = {
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

const toolChoiceNoTools = needsTools('tool-choice-no-tools', 'tool_choice');
const parallelNoTools = needsTools('parallel-no-tools', 'parallel_tool_calls');

const streamOptions: ChatRule = {
  id: 'stream-options',
  *check({ body }) {
    if (!isSet(body.stream_options) || body.stream === true) return;
    yield finding("The 'stream_options' parameter is only allowed when 'stream' is enabled.", 'stream_options');
  },
};

const maxTokens: ChatRule = {
  id: 'max-tokens',
  *check({ body, model }) {
    if (!isSet(body.max_tokens) || !/^(o\d|gpt-5(?!.*chat))/.test(model)) return;
    const words =
      "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.";
    yield finding(words, 'max_tokens', 'unsupported_parameter');
  },
};

const webSearch: ChatRule = {
  id: 'web-search',
  *check({ body, model }) {
    if (!isObject(body.web_search_options) || /search/.test(model)) return;
    yield finding('Web search options not supported with this model.', 'web_search_options');
  },
};

/** DeepSeek thinks by default, and then requires the thinking of every message with calls to be sent back. */
const deepSeekReasoning: ChatRule = {
  id: 'deepseek-reasoning',
  *check({ body, model, messages }) {
    if (!model.startsWith('deepseek-')) return;
    if (isObject(body.thinking) && body.thinking.type === 'disabled') return;
    for (const [, { role, tool_calls, reasoning_content }] of messages) {
      const calls = [...eachObject(tool_calls)].length > 0;
      if (role !== 'assistant' || !calls || typeof reasoning_content === 'string') continue;
      const words = 'The `reasoning_content` in the thinking mode must be passed back to the API.';
      yield finding(words, null, 'invalid_request_error');
    }
  },
};

const protocol = 'openai-chat';

/** In the order in which the API checks: the schema, then single values, then calls and their answers. */
const rules: readonly ChatRule[] = [
  unknownParam,
  required,
  invalidType,
  role,
  toolType,
  unknownMessageParam,
  toolsEmpty,
  toolName,
  name,
  contentEmpty,
  partRole,
  toolCallsEmpty,
  argumentsType,
  toolIdLong,
  callName,
  toolChoiceNoTools,
  parallelNoTools,
  streamOptions,
  maxTokens,
  webSearch,
  audioModel,
  contentNull,
  toolUnanswered,
  toolOrphan,
  deepSeekReasoning,
];

/** Every rule id that a verdict can name. `json` is checked while the body is read. */
export const openAIChatRules: readonly string[] = ['json', ...rules.map(({ id }) => id)].map(
  (id) => `${protocol}.${id}`,
);

interface ChatJudgeOptions extends ApiDifferences {
  /** Refuse unknown fields of messages instead of warning about them. */
  readonly refuseUnknownMessageFields?: boolean;
}

export function createOpenAIChatJudge(options: ChatJudgeOptions = {}): Judge {
  const applied = applicableRules(rules, options);
  return (request) => {
    const parsed = parseBody(protocol, request.body);
    if ('verdict' in parsed) return parsed.verdict;
    const context = chatContext(request, parsed.fields, options, options.refuseUnknownMessageFields ?? false);
    return runRules(protocol, applied, context);
  };
}

/** Judges a request as api.openai.com does. */
export const judgeOpenAIChat: Judge = createOpenAIChatJudge();
