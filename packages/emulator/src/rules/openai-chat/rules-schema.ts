import { finding, missingParameter, unsupportedValue, unsure, wrongType } from '../openai/finding.ts';
import { missingFields, unknownFields } from '../openai/known-fields.ts';
import { variantOf } from '../openai/shape.ts';
import { wrongToolTypes } from '../openai/tool-types.ts';
import { eachFields, isFields, isSet } from '../openai/values.ts';
import type { ChatRule } from './context.ts';
import { messageShapes, messagesShape } from './message-schema.ts';
import { requestShape, toolShapes } from './request-schema.ts';

export const required: ChatRule = {
  id: 'required',
  *check(context) {
    const { body, messages } = context;
    if (!isSet(body.model)) yield finding('you must provide a model parameter', null);
    yield* missingFields(context, requestShape);
    for (const [index, message] of messages) {
      if (!isSet(message.role)) yield missingParameter(`messages[${index}].role`);
      for (const [call, { type }] of eachFields(message.tool_calls)) {
        if (!isSet(type)) yield missingParameter(`messages[${index}].tool_calls[${call}].type`);
      }
    }
    yield* missingFields(context, messagesShape, 'messages');
  },
};

const contentKinds = 'one of a string or array of objects';

export const invalidType: ChatRule = {
  id: 'invalid-type',
  *check({ body, messages }) {
    if (typeof body.model !== 'string') yield wrongType('model', 'a string', body.model);
    if (!Array.isArray(body.messages)) {
      yield wrongType('messages', 'an array of objects', body.messages);
      return;
    }
    for (const [index, message] of body.messages.entries()) {
      if (!isFields(message)) yield wrongType(`messages[${index}]`, 'an object', message);
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
          if (!isFields(inner)) yield wrongType(`${at}.${field}[${entry}]`, 'an object', inner);
        }
      }
      for (const [part, { text }] of eachFields(content)) {
        if (isSet(text) && typeof text !== 'string') yield wrongType(`${at}.content[${part}].text`, 'a string', text);
      }
    }
  },
};

export const unknownParam: ChatRule = {
  id: 'unknown-param',
  check: (context) => unknownFields(context, requestShape),
};

/** Whether api.openai.com refuses or ignores these is not known, so they are refused only on demand. */
export const unknownMessageParam: ChatRule = {
  id: 'unknown-message-param',
  *check(context) {
    for (const found of unknownFields(context, messagesShape, 'messages')) {
      yield context.refuseUnknownMessageFields ? found : unsure(found);
    }
  },
};

const roles = ['system', 'assistant', 'user', 'function', 'tool', 'developer'];

export const role: ChatRule = {
  id: 'role',
  *check({ messages, model }) {
    for (const [index, message] of messages) {
      const param = `messages[${index}].role`;
      if (variantOf(messageShapes, message.role) === undefined) {
        yield unsupportedValue(param, message.role, roles);
      }
      // The first reasoning models knew neither of the two.
      if (/^o1-(mini|preview)/.test(model) && (message.role === 'system' || message.role === 'developer')) {
        const words = `Unsupported value: '${param}' does not support '${message.role}' with this model.`;
        yield finding(words, param, 'unsupported_value');
      }
    }
  },
};

export const toolType: ChatRule = {
  id: 'tool-type',
  check: (context) => wrongToolTypes(context, toolShapes),
};
