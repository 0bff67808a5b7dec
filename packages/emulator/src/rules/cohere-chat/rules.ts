/** The rules of Cohere's chat API. Its wordings are little known: rules here rest on its types and on what it was seen to take. */
import { asText, eachObject, isObject, type Json, objects } from '../../json.ts';
import { first, type JudgedRequest, type Rule } from '../verdict.ts';

interface Context {
  readonly request: JudgedRequest;
  readonly body: Json;
  readonly messages: readonly Json[];
}

export type CohereRule = Rule<Context>;

/** The members of a request, by the types of its SDK. */
const FIELDS = new Set([
  ...['model', 'messages', 'stream', 'tools', 'tool_choice', 'strict_tools', 'documents', 'citation_options'],
  ...['response_format', 'safety_mode', 'max_tokens', 'stop_sequences', 'temperature', 'seed', 'k', 'p', 'thinking'],
  ...['frequency_penalty', 'presence_penalty', 'return_prompt', 'raw_prompting', 'logprobs', 'priority'],
]);

const ROLES = ['user', 'assistant', 'system', 'tool'];
const PARTS: Readonly<Record<string, readonly string[]>> = {
  user: ['text', 'image_url'],
  assistant: ['text', 'thinking'],
  system: ['text'],
  tool: ['text', 'document'],
};

const calls = (message: Json | undefined): readonly Json[] => objects(message?.tool_calls);

const saysSomething = (content: unknown): boolean =>
  typeof content === 'string'
    ? content !== ''
    : objects(content).some(({ type, text, thinking }) =>
        type === 'text' ? text !== '' : type === 'thinking' ? thinking !== '' : true,
      );

/** The calls of the assistant's message before a run of tool messages. */
function openCalls(messages: readonly Json[], at: number): readonly string[] {
  const before = messages.slice(0, at).findLast(({ role }) => role !== 'tool');
  return before?.role === 'assistant' ? calls(before).map(({ id }) => `${id}`) : [];
}

export const rules: readonly CohereRule[] = [
  {
    id: 'required',
    check: ({ body }) => {
      const missing = ['model', 'messages'].find((name) => body[name] === undefined || body[name] === null);
      return missing && `invalid request: ${missing} is required`;
    },
  },
  {
    id: 'unknown-field',
    check: ({ body, request: { settings, memory } }) => {
      const unknown = Object.keys(body).find((name) => !FIELDS.has(name));
      const isOwn = settings?.refuseOwnFields !== true && unknown !== undefined && memory?.ownField(unknown);
      return unknown === undefined || isOwn ? undefined : `unknown field: parameter '${unknown}' is not a valid field`;
    },
  },
  {
    id: 'no-messages',
    check: ({ messages }) =>
      messages.length === 0 ? 'invalid request: messages must contain at least one message' : undefined,
  },
  {
    id: 'role',
    check: ({ messages }) =>
      first(messages.entries(), ([at, { role }]) =>
        ROLES.includes(`${role}`) ? undefined : `invalid request: unknown role '${role}' at messages[${at}]`,
      ),
  },
  {
    id: 'part-type',
    check: ({ messages, request: { memory } }) =>
      first(messages.entries(), ([at, { role, content }]) =>
        first(eachObject(content), ([index, { type }]) =>
          PARTS[`${role}`]?.includes(`${type}`) || memory?.ownField(`:${type}`)
            ? undefined
            : `invalid request: content type '${type}' is not supported at messages[${at}].content[${index}]`,
        ),
      ),
  },
  {
    id: 'empty-content',
    check: ({ messages }) =>
      first(messages.entries(), ([at, message]) => {
        const { role, content } = message;
        const isEmpty = !saysSomething(content) && !(role === 'assistant' && calls(message).length > 0);
        return isEmpty && role !== 'tool'
          ? `invalid request: the message at messages[${at}] must have content${role === 'assistant' ? ' or tool_calls' : ''}`
          : undefined;
      }),
  },
  {
    id: 'empty-text',
    check: ({ messages }) =>
      first(messages.entries(), ([at, { content }]) =>
        objects(content).some(({ type, text }) => type === 'text' && text === '')
          ? `invalid request: text content at messages[${at}] must not be empty`
          : undefined,
      ),
  },
  {
    id: 'tool-arguments',
    check: ({ messages }) =>
      first(messages.entries(), ([at, message]) =>
        first(calls(message), ({ function: called }) => {
          const text = isObject(called) ? asText(called.arguments) : undefined;
          return text !== undefined && isJson(text)
            ? undefined
            : `invalid request: the arguments of a tool call at messages[${at}] are not valid JSON`;
        }),
      ),
  },
  {
    id: 'tool-unanswered',
    check: ({ messages }) =>
      first(messages.entries(), ([at, message]) => {
        const next = messages.slice(at + 1).findIndex(({ role }) => role !== 'tool');
        const answers = messages.slice(at + 1, next < 0 ? undefined : at + 1 + next).map((one) => one.tool_call_id);
        const open = calls(message).filter(({ id }) => !answers.includes(id));
        return open.length > 0
          ? `invalid request: tool calls at messages[${at}] must be followed by tool results: ${open.map(({ id }) => id).join(', ')}`
          : undefined;
      }),
  },
  {
    id: 'tool-orphan',
    check: ({ messages }) =>
      first(messages.entries(), ([at, { role, tool_call_id: id }]) =>
        role === 'tool' && !openCalls(messages, at).includes(`${id}`)
          ? `invalid request: tool_call_id '${id}' at messages[${at}] was not found in the previous tool calls`
          : undefined,
      ),
  },
  {
    id: 'tool-id-unique',
    check: ({ messages }) =>
      first(messages.entries(), ([at, message]) => {
        const ids = calls(message).map(({ id }) => id);
        return new Set(ids).size < ids.length
          ? `invalid request: tool call ids at messages[${at}] must be unique`
          : undefined;
      }),
  },
  {
    id: 'assistant-last',
    check: ({ messages }) =>
      messages.at(-1)?.role === 'assistant' || messages.every(({ role }) => role === 'system')
        ? 'invalid request: the last message must be a user or a tool message'
        : undefined,
  },
];

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
