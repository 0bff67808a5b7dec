import { asText, eachObject, isObject, isSet, type Json } from '../../json.ts';
import { emptyArray, finding, mismatch, tooLong, unsupportedValue, unsure, wrongType } from '../openai/finding.ts';
import type { ApiDifferences, OpenAIRule } from '../openai/rule.ts';
import { findVariant } from '../openai/shape.ts';
import type { JudgedRequest } from '../verdict.ts';
import { partShapes } from './schema.ts';

/** What the rules of Chat Completions look at. */
interface ChatContext {
  readonly request: JudgedRequest;
  readonly body: Json;
  readonly model: string;
  readonly messages: readonly (readonly [number, Json])[];
  readonly differences: ApiDifferences;
  readonly refuseUnknownMessageFields: boolean;
}

export type ChatRule = OpenAIRule<ChatContext>;

const isDeepSeek = ({ model }: ChatContext): boolean => model.startsWith('deepseek-');

/** DeepSeek's own fields. Otherwise its models are judged by the same rules. */
const deepSeek: ApiDifferences = { extra: ['thinking', 'messages.reasoning_content', 'messages.prefix'] };

export function chatContext(
  request: JudgedRequest,
  body: Json,
  differences: ApiDifferences,
  refuseUnknownMessageFields: boolean,
): ChatContext {
  const model = asText(body.model) ?? '';
  const own = model.startsWith('deepseek-') ? (deepSeek.extra ?? []) : [];
  return {
    request,
    body,
    model,
    messages: [...eachObject(body.messages)],
    differences: { ...differences, extra: [...(differences.extra ?? []), ...own] },
    refuseUnknownMessageFields,
  };
}

/** Rules about the messages of Chat Completions: their content, tool calls, and which answers belong to which calls. */

const calls = ({ tool_calls, function_call }: Json): boolean => isSet(tool_calls) || isSet(function_call);

export const contentNull: ChatRule = {
  id: 'content-null',
  *check({ messages }) {
    for (const [index, message] of messages) {
      if (isSet(message.content) || message.role === 'function') continue;
      if (message.role === 'assistant' && (calls(message) || isSet(message.audio))) continue;
      const words = "Invalid value for 'content': expected a string, got null.";
      const found = finding(words, `messages.[${index}].content`);
      // That a refusal without content is accepted is inferred from the form of replies.
      yield message.role === 'assistant' && isSet(message.refusal) ? unsure(found) : found;
    }
  },
};

/** By the OpenAPI document, lists of content parts have at least one. */
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
const partTypes: Readonly<Record<string, readonly string[]>> = {
  user: ['text', 'image_url', 'input_audio', 'file'],
  assistant: ['text', 'refusal'],
};

function misplaced(index: number, role: string, type: string): string {
  const at = `Invalid 'messages[${index}]'.`;
  if (type !== 'image_url')
    return `${at} Content blocks are expected to be ${(partTypes[role] ?? everywhere).join(' or ')} type.`;
  return `${at} Image URLs are only allowed for messages with role 'user', but this message with role '${role}' contains an image URL.`;
}

export const partRole: ChatRule = {
  id: 'part-role',
  *check({ messages, differences }) {
    for (const [index, { role, content }] of messages) {
      for (const [part, { type }] of eachObject(content)) {
        if (differences.extra?.includes(`messages.content:${type}`)) continue;
        if (typeof type !== 'string' || findVariant(partShapes, type) === undefined) {
          yield unsupportedValue(`messages[${index}].content[${part}].type`, type, [
            ...Object.keys(partShapes),
            'audio',
          ]);
        } else if (!(partTypes[String(role)] ?? everywhere).includes(type)) {
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
      for (const [, { type }] of eachObject(content)) {
        if (type !== 'input_audio') continue;
        const words = `Invalid 'messages[${index}]'. Content blocks are expected to be either text or image_url type.`;
        yield finding(words, `messages[${index}]`, 'invalid_value');
      }
    }
  },
};

/** Every function or custom call of the assistant, with the path of its inner object. */
function* eachCall({ messages }: ChatContext): Iterable<{ at: string; call: Json; path: string; inner: Json }> {
  for (const [index, { tool_calls, function_call }] of messages) {
    for (const [position, call] of eachObject(tool_calls)) {
      const at = `messages[${index}].tool_calls[${position}]`;
      const kind = call.type === 'custom' ? 'custom' : 'function';
      const inner = call[kind];
      if (isObject(inner)) yield { at, call, path: `${at}.${kind}`, inner };
    }
    const path = `messages[${index}].function_call`;
    if (isObject(function_call)) yield { at: path, call: {}, path, inner: function_call };
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

/** The text need not be JSON: models also write broken JSON, which must be sent back unchanged. */
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
    for (const [index, tool] of eachObject(body.tools)) {
      for (const kind of ['function', 'custom']) {
        const inner = tool[kind];
        if (!isObject(inner)) continue;
        yield* mismatch(`tools[${index}].${kind}.name`, inner.name, /^[a-zA-Z0-9_-]+$/);
        yield* tooLong(`tools[${index}].${kind}.name`, inner.name, 64);
      }
    }
  },
};

type Indexed = readonly [number, Json];

/** An assistant message (or none) with the tool messages directly after it. */
interface Round {
  readonly calls: readonly string[];
  readonly answers: readonly Indexed[];
  /** The message that ended the round; the last message when nothing follows. */
  readonly end: number;
}

function* rounds({ messages }: ChatContext): Iterable<Round> {
  let calls: string[] = [];
  let answers: Indexed[] = [];
  for (const [index, message] of messages) {
    if (message.role === 'tool') {
      answers.push([index, message]);
      continue;
    }
    yield { calls, answers, end: index };
    answers = [];
    calls = [];
    for (const [, call] of eachObject(message.tool_calls)) calls.push(asText(call.id) ?? '');
  }
  yield { calls, answers, end: Math.max(0, messages.length - 1) };
}

const insufficient =
  "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'.";

export const toolUnanswered: ChatRule = {
  id: 'tool-unanswered',
  *check(context) {
    for (const { calls, answers, end } of rounds(context)) {
      const answered = new Set(answers.map(([, { tool_call_id }]) => tool_call_id));
      const open = calls.filter((id) => !answered.has(id));
      if (open.length === 0) continue;
      if (isDeepSeek(context)) {
        const words = `${insufficient} (insufficient tool messages following tool_calls message)`;
        yield finding(words, null, 'invalid_request_error');
      }
      const words = `${insufficient} The following tool_call_ids did not have response messages: ${open.join(', ')}`;
      yield finding(words, `messages.[${end}].role`);
    }
  },
};

const orphan =
  "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.";
const deepSeekOrphan = "Messages with role 'tool' must be a response to a preceding message with 'tool_calls'";

export const toolOrphan: ChatRule = {
  id: 'tool-orphan',
  *check(context) {
    for (const { calls, answers } of rounds(context)) {
      const seen = new Set<string>();
      for (const [index, { tool_call_id }] of answers) {
        const id = asText(tool_call_id) ?? '';
        if (!calls.includes(id) && isDeepSeek(context)) yield finding(deepSeekOrphan, null, 'invalid_request_error');
        if (calls.length === 0) yield finding(orphan, `messages.[${index}].role`);
        const param = `messages.[${index}].tool_call_id`;
        const words = `Invalid parameter: 'tool_call_id' of '${id}' not found in 'tool_calls' of previous message.`;
        if (!calls.includes(id)) yield finding(words, param);
        // A second answer to one call is wrong, but no refusal of it is known.
        if (seen.has(id)) yield unsure(finding(words, param));
        seen.add(id);
      }
    }
  },
};
