import { emptyArray, mismatch, tooLong, wrongType } from '../openai/finding.ts';
import { eachFields, type Fields, isFields, isSet } from '../openai/values.ts';
import type { ChatContext, ChatRule } from './context.ts';

/** Every function or custom call of the assistant, with the path of its inner object. */
function* eachCall({ messages }: ChatContext): Iterable<{ at: string; call: Fields; path: string; inner: Fields }> {
  for (const [index, { tool_calls, function_call }] of messages) {
    for (const [position, call] of eachFields(tool_calls)) {
      const at = `messages[${index}].tool_calls[${position}]`;
      const kind = call.type === 'custom' ? 'custom' : 'function';
      const inner = call[kind];
      if (isFields(inner)) yield { at, call, path: `${at}.${kind}`, inner };
    }
    const path = `messages[${index}].function_call`;
    if (isFields(function_call)) yield { at: path, call: {}, path, inner: function_call };
  }
}

export const toolCallsEmpty: ChatRule = {
  id: 'tool-calls-empty',
  *check({ messages }) {
    for (const [index, { tool_calls }] of messages) {
      if (Array.isArray(tool_calls) && tool_calls.length === 0) yield emptyArray(`messages[${index}].tool_calls`);
    }
  },
};

/** The text need not be JSON: models write broken JSON too, and it has to come back as it was. */
export const argumentsType: ChatRule = {
  id: 'arguments-type',
  *check(context) {
    for (const { path, inner } of eachCall(context)) {
      for (const field of ['arguments', 'input']) {
        const value = inner[field];
        if (isSet(value) && typeof value !== 'string') yield wrongType(`${path}.${field}`, 'a string', value);
      }
    }
  },
};

export const toolIdLong: ChatRule = {
  id: 'tool-id-long',
  *check(context) {
    for (const { at, call } of eachCall(context)) yield* tooLong(`${at}.id`, call.id, 40);
    for (const [index, message] of context.messages) {
      yield* tooLong(`messages[${index}].tool_call_id`, message.tool_call_id, 40);
    }
  },
};

export const callName: ChatRule = {
  id: 'call-name',
  *check(context) {
    for (const { path, inner } of eachCall(context)) yield* mismatch(`${path}.name`, inner.name, /^[a-zA-Z0-9_-]+$/);
  },
};

export const toolName: ChatRule = {
  id: 'tool-name',
  *check({ body }) {
    for (const [index, tool] of eachFields(body.tools)) {
      for (const kind of ['function', 'custom']) {
        const inner = tool[kind];
        if (!isFields(inner)) continue;
        yield* mismatch(`tools[${index}].${kind}.name`, inner.name, /^[a-zA-Z0-9_-]+$/);
        yield* tooLong(`tools[${index}].${kind}.name`, inner.name, 64);
      }
    }
  },
};
