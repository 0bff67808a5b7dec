import { emptyArray, finding, mismatch, unsupportedValue, unsure } from '../openai/finding.ts';
import { variantOf } from '../openai/shape.ts';
import { eachFields, type Fields, isSet } from '../openai/values.ts';
import type { ChatRule } from './context.ts';
import { partShapes } from './message-schema.ts';

const calls = ({ tool_calls, function_call }: Fields): boolean => isSet(tool_calls) || isSet(function_call);

export const contentNull: ChatRule = {
  id: 'content-null',
  *check({ messages }) {
    for (const [index, message] of messages) {
      if (isSet(message.content) || message.role === 'function') continue;
      if (message.role === 'assistant' && (calls(message) || isSet(message.audio))) continue;
      const words = "Invalid value for 'content': expected a string, got null.";
      const found = finding(words, `messages.[${index}].content`);
      // That a refusal alone is enough is inferred from the reply's own form.
      yield message.role === 'assistant' && isSet(message.refusal) ? unsure(found) : found;
    }
  },
};

/** OpenAPI: arrays of content parts have at least one. */
export const contentEmpty: ChatRule = {
  id: 'content-empty',
  *check({ messages }) {
    for (const [index, { content }] of messages) {
      if (Array.isArray(content) && content.length === 0) yield emptyArray(`messages[${index}].content`);
    }
  },
};

export const name: ChatRule = {
  id: 'name',
  *check({ messages }) {
    for (const [index, message] of messages) yield* mismatch(`messages[${index}].name`, message.name, /^[^\s<|\\/>]+$/);
  },
};

const everywhere = ['text'];
const partsOf: Readonly<Record<string, readonly string[]>> = {
  user: ['text', 'image_url', 'input_audio', 'file'],
  assistant: ['text', 'refusal'],
};

function misplaced(index: number, role: string, type: string): string {
  const at = `Invalid 'messages[${index}]'.`;
  if (type !== 'image_url')
    return `${at} Content blocks are expected to be ${(partsOf[role] ?? everywhere).join(' or ')} type.`;
  return `${at} Image URLs are only allowed for messages with role 'user', but this message with role '${role}' contains an image URL.`;
}

export const partRole: ChatRule = {
  id: 'part-role',
  *check({ messages, dialect }) {
    for (const [index, { role, content }] of messages) {
      for (const [part, { type }] of eachFields(content)) {
        if (dialect.extra?.includes(`messages.content:${type}`)) continue;
        if (typeof type !== 'string' || variantOf(partShapes, type) === undefined) {
          yield unsupportedValue(`messages[${index}].content[${part}].type`, type, [
            ...Object.keys(partShapes),
            'audio',
          ]);
        } else if (!(partsOf[String(role)] ?? everywhere).includes(type)) {
          yield finding(misplaced(index, String(role), type), `messages[${index}]`, 'invalid_value');
        }
      }
    }
  },
};

export const audioModel: ChatRule = {
  id: 'audio-model',
  *check({ messages, model }) {
    if (!/^(gpt-|chatgpt-|o\d)/.test(model) || /audio|realtime/.test(model)) return;
    for (const [index, { content }] of messages) {
      for (const [, { type }] of eachFields(content)) {
        if (type !== 'input_audio') continue;
        const words = `Invalid 'messages[${index}]'. Content blocks are expected to be either text or image_url type.`;
        yield finding(words, `messages[${index}]`, 'invalid_value');
      }
    }
  },
};
