import { dialect, type Manifest, openaiChat } from '../dialects/index.ts';
import { elementTexts, isObject, type JsonObject, parseJson, textAt } from '../json/index.ts';
import {
  assistant,
  type ContentBlock,
  type Message,
  normalizeMessage,
  type Origin,
  system,
  type ToolUseBlock,
  toolResult,
  user,
} from '../message/index.ts';
import type { Checkpoint } from '../run/index.ts';
import {
  decodeSaved,
  FACTS_VERSION,
  FORMAT,
  isCheckpoint,
  isFacts,
  isManifest,
  isOrigin,
  MessageListDeserializationError,
  VERSION,
} from './saved-messages.ts';

/** How to read a list that does not say what it is written in. */
export interface ReadOptions {
  /** What a bare array of messages is written in; `legacy` is the older shape with string content. */
  readonly dialect?: string;
  readonly origin?: Partial<Origin>;
}

interface SavedList {
  readonly messages: Message[];
  readonly manifest?: Manifest | undefined;
  readonly checkpoints?: readonly Checkpoint[];
}

export function readSaved(given: unknown, options: ReadOptions): SavedList {
  const saved = decode(given);
  const value = typeof saved === 'string' ? parse(saved) : saved;
  if (Array.isArray(value))
    return { messages: readArray(typeof saved === 'string' ? saved : JSON.stringify(value), options) };
  if (isTypedList(value))
    return { messages: readTypedList(typeof saved === 'string' ? saved : JSON.stringify(value), value) };
  if (!isObject(value) || value.format !== FORMAT) {
    throw new MessageListDeserializationError(`expected {"format":"${FORMAT}", ...} or an array of messages`);
  }
  if (value.version !== VERSION) {
    const { version } = value;
    throw new MessageListDeserializationError(
      `version ${JSON.stringify(version)} is not supported; this release reads version ${VERSION}, and "${TYPED_VERSION}" of the older format`,
      { version, supported: [VERSION, TYPED_VERSION] },
    );
  }
  return {
    messages: readList(value),
    manifest: isManifest(value.manifest) ? value.manifest : undefined,
    checkpoints: Array.isArray(value.checkpoints) ? value.checkpoints.filter(isCheckpoint) : [],
  };
}

function readList(value: JsonObject): Message[] {
  const { messages, origins } = value;
  if (!Array.isArray(messages) || !Array.isArray(origins))
    throw new MessageListDeserializationError('"messages" and "origins" must be arrays');
  const trusted = value.facts === FACTS_VERSION;
  // Those of many messages are one object; never the one that was given, which is not ours to freeze.
  const known = origins.map((origin: unknown) => (isOrigin(origin) ? Object.freeze({ ...origin }) : undefined));
  return messages.map((item: unknown, index) => {
    if (!isObject(item) || typeof item.raw !== 'string')
      throw new MessageListDeserializationError('it has no "raw" text', { index });
    const origin = typeof item.origin === 'number' ? known[item.origin] : undefined;
    if (!origin)
      throw new MessageListDeserializationError(`its origin ${JSON.stringify(item.origin)} is not in "origins"`, {
        index,
      });
    const facts = trusted && isFacts(item.facts) ? item.facts : undefined;
    return at(index, () => dialect(origin.dialect).parseMessage(item.raw as string, origin, facts));
  });
}

function readArray(text: string, options: ReadOptions): Message[] {
  const { dialect: id } = options;
  if (id === undefined) {
    throw new MessageListDeserializationError(
      `a bare array does not say what it is written in; give { dialect }, such as "${openaiChat.id}"`,
    );
  }
  if (id === 'legacy') return elementTexts(text).map((raw, index) => at(index, () => normalizeMessage(raw)));
  const reader = dialect(id);
  return elementTexts(text).map((raw, index) => at(index, () => reader.parseMessage(raw, options.origin)));
}

function decode(given: unknown): unknown {
  try {
    return decodeSaved(given);
  } catch (cause) {
    throw new MessageListDeserializationError('the bytes are not UTF-8 text', { cause });
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Says where it is wrong; a saved list is not nested, so its depth need not be looked for.
  }
  try {
    return parseJson(text);
  } catch (cause) {
    throw new MessageListDeserializationError((cause as Error).message, { cause });
  }
}

function at<T>(index: number, read: () => T): T {
  try {
    return read();
  } catch (cause) {
    throw new MessageListDeserializationError((cause as Error).message, { index, cause });
  }
}

/** Of the older format: a list of messages that each name their type. */
const TYPED_VERSION = '1.0';

/** `{"version":"1.0","messages":[{"type":…}]}`: its version is a text, and it names no format. */
function isTypedList(value: unknown): value is JsonObject {
  return isObject(value) && value.format === undefined && typeof value.version === 'string';
}

/**
 * A call and its result are one message there. Here, consecutive calls that repeat the same text are one message, whose
 * results follow; calls without a text were made one after the other, each knowing the result of the last.
 */
function readTypedList(text: string, { version, messages }: JsonObject): Message[] {
  if (version !== TYPED_VERSION)
    throw new MessageListDeserializationError(
      `version ${JSON.stringify(version)} is not supported; this release reads "${TYPED_VERSION}", and version ${VERSION} of its own format`,
      { version, supported: [TYPED_VERSION, VERSION] },
    );
  if (!Array.isArray(messages)) throw new MessageListDeserializationError('"messages" must be an array');
  const read: Message[] = [];
  let calls: Call[] = [];
  const flush = () => {
    if (calls.length > 0) read.push(assistant(toContent(calls)), ...calls.map(({ result }) => result));
    calls = [];
  };
  for (const [index, raw] of elementTexts(textAt(text, ['messages'])!).entries()) {
    const item = readItem(raw, index);
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

function toContent(calls: readonly Call[]): ContentBlock[] {
  const text = calls[0]!.text;
  return [...(text === '' ? [] : [{ type: 'text', text } as const]), ...calls.map(({ use }) => use)];
}

function readItem(raw: string, index: number): Message | Call {
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
        result: readResult(id, raw, value),
      };
    }
    default:
      throw wrong(`unknown type ${JSON.stringify(value.type)}; known: AgentMessage, TextMessage, ToolCallMessage`);
  }
}

const ROLES = { system, user, assistant };

function readResult(id: string, raw: string, { result, error }: JsonObject): Message {
  if (error !== null && error !== undefined)
    return toolResult(id, typeof error === 'string' ? error : JSON.stringify(error), { isError: true });
  return toolResult(id, typeof result === 'string' ? result : (textAt(raw, ['result']) ?? 'null'));
}
