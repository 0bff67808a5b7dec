import { elementTexts, isObject, type JsonObject, parseJson, textAt } from '../json/index.ts';
import {
  assistant,
  type ContentBlock,
  type Message,
  system,
  type ToolUseBlock,
  toolResult,
  user,
} from '../message/index.ts';
import { MessageListDeserializationError } from './list-error.ts';
import { VERSION } from './saved.ts';

/** Of the older format: a list of messages that each name their type. */
export const TYPED_VERSION = '1.0';

/** `{"version":"1.0","messages":[{"type":…}]}`: its version is a text, and it names no format. */
export function isTypedList(value: unknown): value is JsonObject {
  return isObject(value) && value.format === undefined && typeof value.version === 'string';
}

/**
 * A call and its result are one message there. Here, consecutive calls that repeat the same text are one message, whose
 * results follow; calls without a text were made one after the other, each knowing the result of the last.
 */
export function readTypedList(text: string, { version, messages }: JsonObject): Message[] {
  if (version !== TYPED_VERSION)
    throw new MessageListDeserializationError(
      `version ${JSON.stringify(version)} is not supported; this release reads "${TYPED_VERSION}", and version ${VERSION} of its own format`,
      { version, supported: [TYPED_VERSION, VERSION] },
    );
  if (!Array.isArray(messages)) throw new MessageListDeserializationError('"messages" must be an array');
  const read: Message[] = [];
  let calls: Call[] = [];
  const flush = () => {
    if (calls.length > 0) read.push(assistant(contentOf(calls)), ...calls.map(({ result }) => result));
    calls = [];
  };
  for (const [index, raw] of elementTexts(textAt(text, ['messages'])!).entries()) {
    const item = itemOf(raw, index);
    if ('use' in item) {
      if (calls.some((call) => item.text === '' || call.text !== item.text || call.use.id === item.use.id)) flush();
      calls.push(item);
    } else {
      flush();
      read.push(item);
    }
  }
  flush();
  return read;
}

interface Call {
  readonly text: string;
  readonly use: ToolUseBlock;
  readonly result: Message;
}

function contentOf(calls: readonly Call[]): ContentBlock[] {
  const text = calls[0]!.text;
  return [...(text === '' ? [] : [{ type: 'text', text } as const]), ...calls.map(({ use }) => use)];
}

function itemOf(raw: string, index: number): Message | Call {
  const value = parseJson(raw);
  const wrong = (problem: string) => new MessageListDeserializationError(problem, { index });
  if (!isObject(value)) throw wrong('it is not an object');
  const textIn = (name: string): string => {
    const text = value[name];
    if (typeof text !== 'string') throw wrong(`"${name}" of a ${String(value.type)} must be text`);
    return text;
  };
  switch (value.type) {
    case 'AgentMessage':
      return system(textIn('text'));
    case 'TextMessage': {
      const write = Object.hasOwn(ROLES, String(value.role)) && ROLES[value.role as keyof typeof ROLES];
      if (!write) throw wrong(`unknown role ${JSON.stringify(value.role)}; known: ${Object.keys(ROLES).join(', ')}`);
      return write(textIn('text'));
    }
    case 'ToolCallMessage': {
      if (!isObject(value.arguments)) throw wrong('"arguments" of a ToolCallMessage must be an object');
      const id = textIn('tool_call_id');
      // Cut from the text, so that large numbers stay what they are.
      const rawParameters = textAt(raw, ['arguments'])!;
      return {
        text: value.message === null || value.message === undefined ? '' : textIn('message'),
        use: { type: 'tool-use', id, name: textIn('tool_name'), parameters: value.arguments, rawParameters },
        result: resultOf(id, raw, value),
      };
    }
    default:
      throw wrong(`unknown type ${JSON.stringify(value.type)}; known: AgentMessage, TextMessage, ToolCallMessage`);
  }
}

const ROLES = { system, user, assistant };

function resultOf(id: string, raw: string, { result, error }: JsonObject): Message {
  if (error !== null && error !== undefined)
    return toolResult(id, typeof error === 'string' ? error : JSON.stringify(error), { isError: true });
  return toolResult(id, typeof result === 'string' ? result : (textAt(raw, ['result']) ?? 'null'));
}
